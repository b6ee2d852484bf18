package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.Tape;
import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Failures on the thread of a device reach the caller, with the op's name, and end one run. */
class RemoteFaultsTest {
    private static final Array TABLE = Array.of(Shape.of(4), 1.0, 2.0, 3.0, 4.0);
    private static final Array GOOD = Array.of(Shape.of(2), new long[] {3, 0});
    private static final Array BAD = Array.of(Shape.of(2), new long[] {3, 4});

    private static Tensor pick(Tensor x, Tensor at) {
        return x.sin().indexSelect(0, at).exp();
    }

    private static Tensor inALoop(Tensor x, Tensor at) {
        return Loop.repeat(
                5, x, c -> c.add(c.sin().indexSelect(0, at).sum().mul(0.1).broadcastTo(x.shape())));
    }

    private static Tensor inAWhile(Tensor x, Tensor at) {
        return Loop.whileTrue(
                9,
                x,
                c -> c.sum().lt(c.literal(40)),
                c -> c.add(c.indexSelect(0, at).sum().square().broadcastTo(x.shape())));
    }

    private static Tensor inABranch(Tensor x, Tensor at) {
        return Loop.cond(x.sum().gt(0), () -> pick(x, at), () -> pick(x.neg(), at));
    }

    private static void assertNamed(ThrowingCallable run) {
        assertThatThrownBy(run)
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContainingAll("of [", "index 4", "4 elements");
    }

    @Test
    void aFailureNamesItsOpAndTheNextRunWorks() {
        for (Fn2<Tensor, Tensor, Tensor> f :
                List.<Fn2<Tensor, Tensor, Tensor>>of(
                        RemoteFaultsTest::pick,
                        RemoteFaultsTest::inALoop,
                        RemoteFaultsTest::inAWhile,
                        RemoteFaultsTest::inABranch)) {
            try (var run = Ebb.compile(f).on(new RemoteDevice())) {
                assertNamed(() -> run.apply(TABLE, BAD));
                var expected = (Array) run.apply(TABLE, GOOD);
                assertNamed(() -> run.apply(TABLE, BAD));
                assertThat(((Array) run.apply(TABLE, GOOD)).sameBits(expected)).isTrue();
                assertNamed(() -> run.verify(TABLE, BAD));
                assertThat(((Array) run.verify(TABLE, GOOD)).sameBits(expected)).isTrue();
            }
        }
    }

    @Test
    void aTapeGoesOnAfterAFailure() {
        try (var tape = new Tape(Budget.kibibytes(64), new RemoteDevice())) {
            var x = tape.watch(TABLE);
            assertNamed(() -> tape.array(pick(x, tape.watch(BAD))));
            var slope = tape.gradient(pick(x, tape.watch(GOOD)).sum(), x);
            assertThat(tape.array(slope).toDoubles()[1]).isZero();
        }
    }

    @Test
    void aStepThatFailedIsRestored() {
        Fn2<Tensor, Tensor, Next<Tensor, Tensor>> step =
                (s, at) -> new Next<>(s.add(s.indexSelect(0, at).sum()), s.sum());
        try (var stepper = Ebb.stepper(step).on(new RemoteDevice()).start(TABLE, GOOD)) {
            assertNamed(() -> stepper.step(BAD));
            stepper.restore(TABLE);
            stepper.step(GOOD);
            assertThat(stepper.state().toDoubles()).containsExactly(6, 7, 8, 9);
        }
    }

    private static List<Tensor> weights() {
        var random = new Random(5);
        var all = new ArrayList<Tensor>();
        for (int i = 0; i < 6; i++)
            all.add(Array.of(Shape.of(32, 32), random.doubles(1024, -0.5, 0.5).toArray()));
        return all;
    }

    /** Layers; what is selected in the middle is another operand of the ones behind it. */
    private static Tensor loss(List<Tensor> weights, Tensor at) {
        Tensor h = weights.getFirst();
        for (int i = 0; i < weights.size(); i++) {
            h = h.add(h.matmul(weights.get(i)).tanh());
            if (i == 2) h = h.add(h.reshape(-1).indexSelect(0, at).sum());
        }
        return h.square().mean();
    }

    /** A transfer that meets the failure of a kernel is not taken for a failure of its place. */
    @Test
    void aFailureIsNotThatOfAPlace(@TempDir Path folder) {
        Fn2<List<Tensor>, Tensor, List<Tensor>> f =
                (all, at) -> Ebb.grad((List<Tensor> w) -> loss(w, at)).apply(all);
        var x = weights();
        var bad = Array.of(Shape.of(1), new long[] {1024});
        var good = Array.of(Shape.of(1), new long[] {1023});
        List<Tensor> expected;
        try (var all = Ebb.compile(f).on(new RemoteDevice())) {
            expected = all.apply(x, good);
        }
        for (Place place :
                List.of(Disk.in(folder, 1 << 20), Host.memory(1 << 20), Host.pinned(1 << 20))) {
            var away = Ebb.compile(f).within(Budget.unlimited().with(place)).on(new RemoteDevice());
            var least = Budget.bytes(away.plan(x, good).curve().leastBytes());
            try (var run = away.within(least.with(place))) {
                assertThat(run.plan(x, good).schedule().steps())
                        .anyMatch(s -> s instanceof Step.Offload);
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> run.apply(x, bad))
                            .isInstanceOf(IndexOutOfBoundsException.class)
                            .hasMessageContaining("index 1024");
                    var found = run.apply(x, good);
                    for (int k = 0; k < found.size(); k++)
                        assertThat(((Array) found.get(k)).sameBits((Array) expected.get(k)))
                                .isTrue();
                }
            }
        }
    }

    /** What a function closes over is where it was when a run in which it moved has failed. */
    @Test
    void whatIsClosedOverOutlivesAFailure(@TempDir Path folder) {
        var closed = weights();
        Fn2<Tensor, Tensor, Tensor> f =
                (x, at) ->
                        Ebb.grad(
                                        (Tensor y) ->
                                                loss(
                                                        closed.stream().map(w -> w.add(y)).toList(),
                                                        at))
                                .apply(x);
        var x = closed.getFirst();
        var bad = Array.of(Shape.of(1), new long[] {1024});
        var good = Array.of(Shape.of(1), new long[] {1023});
        Array expected;
        try (var all = Ebb.compile(f).on(new RemoteDevice())) {
            expected = (Array) all.apply(x, good);
        }
        for (Place place :
                List.of(Disk.in(folder, 1 << 20), Host.memory(1 << 20), Host.pinned(1 << 20))) {
            var away = Ebb.compile(f).within(Budget.unlimited().with(place)).on(new RemoteDevice());
            var least = Budget.bytes(away.plan(x, good).curve().leastBytes());
            try (var run = away.within(least.with(place))) {
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> run.apply(x, bad))
                            .isInstanceOf(IndexOutOfBoundsException.class);
                    assertThat(((Array) run.apply(x, good)).sameBits(expected)).isTrue();
                }
            }
        }
    }

    private interface Change {
        Object of(String method, Object[] arguments, Object result);
    }

    private static <T> T wrapped(Class<T> type, T real, Change change) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            try {
                                var result = method.invoke(real, arguments);
                                return change.of(method.getName(), arguments, result);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    private interface AfterBind {
        void run(Queue queue, List<Buffer> inputs);
    }

    /** A device whose host does this when it has put a node of that name on the queue. */
    private static Device doing(String op, AfterBind after) {
        return wrapped(
                Device.class,
                new RemoteDevice(),
                (name, _, made) -> name.equals("open") ? doing(op, after, (Queue) made) : made);
    }

    private static Queue doing(String op, AfterBind after, Queue queue) {
        Change change =
                (name, arguments, made) -> {
                    if (name.equals("recorded")) return Optional.empty();
                    if (!name.equals("bind") || !((Node) arguments[0]).op().name().contains(op))
                        return made;
                    @SuppressWarnings("unchecked") // as Queue.bind declares it
                    var inputs = (List<Buffer>) arguments[1];
                    return (Runnable)
                            () -> {
                                ((Runnable) made).run();
                                after.run(queue, inputs);
                            };
                };
        return wrapped(Queue.class, queue, change);
    }

    /** A device whose host fails once when it has put an exponential on the queue. */
    private static Device failingHost() {
        var failed = new boolean[1];
        return doing(
                "exp",
                (_, _) -> {
                    if (failed[0]) return;
                    failed[0] = true;
                    throw new IllegalStateException("the host fails");
                });
    }

    /** Reads an operand, as the thread of a place does, and keeps what is thrown to itself. */
    private static void read(Queue queue, List<Buffer> operands) {
        var memory = operands.getFirst().memory();
        var thread =
                new Thread(
                        () -> {
                            try {
                                var here = new byte[Math.toIntExact(memory.bytes())];
                                queue.read(memory, MemorySegment.ofArray(here));
                            } catch (IndexOutOfBoundsException e) {
                                // the run must still end with it
                            }
                        });
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The loop names the op that failed and does not run to its limit. */
    @Test
    void aFailureThatAnotherThreadHeardOfFirstEndsTheLoop() {
        try (var run =
                Ebb.compile((Fn2<Tensor, Tensor, Tensor>) RemoteFaultsTest::inAWhile)
                        .on(doing("gather", RemoteFaultsTest::read))) {
            for (int i = 0; i < 2; i++) {
                assertNamed(() -> run.apply(TABLE, BAD));
                assertThat(run.apply(TABLE, GOOD).toDoubles()).hasSize(4);
            }
        }
    }

    /** A tape goes on after such a failure too. */
    @Test
    void aTapeGoesOnAfterALoopThatFailed() {
        try (var tape = new Tape(Budget.kibibytes(64), new RemoteDevice())) {
            var x = tape.watch(TABLE);
            assertNamed(() -> tape.array(inAWhile(x, tape.watch(BAD))));
            assertThat(tape.array(inAWhile(x, tape.watch(GOOD))).toDoubles()).hasSize(4);
        }
    }

    /** What is on the queue when the host ends a run fails with that run, not with the next one. */
    @Test
    void aRunLeavesNoFailureToTheNextOne() {
        Fn2<Tensor, Tensor, Tensor> f =
                (x, at) -> x.matmul(x).reshape(-1).indexSelect(0, at).softmax(0).exp();
        var x = Array.of(Shape.of(2, 2), 1.0, 2.0, 3.0, 4.0);
        try (var run = Ebb.compile(f).on(failingHost())) {
            assertThatThrownBy(() -> run.apply(x, BAD))
                    .hasMessage("the host fails")
                    .satisfies(
                            e ->
                                    assertThat(e.getSuppressed())
                                            .hasAtLeastOneElementOfType(
                                                    IndexOutOfBoundsException.class));
            assertThat(run.apply(x, GOOD).toDoubles()).hasSize(2);
        }
    }
}
