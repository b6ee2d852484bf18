package dev.ebb.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Devices;
import dev.ebb.Ebb;
import dev.ebb.Evaluation;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.Next;
import dev.ebb.Tape;
import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Fit;
import dev.ebb.plan.RecomputeAll;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.plan.schedule.Host;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;

/** What the host may and may not do with memory that is not its own. */
class RemoteDeviceTest {
    private static final Array X = noise(36, 36);

    private static Array noise(int rows, int columns) {
        var random = new Random(7);
        var data = new float[rows * columns];
        for (int i = 0; i < data.length; i++) data[i] = random.nextFloat() - 0.5f;
        return Array.of(Shape.of(rows, columns), data);
    }

    private static Tensor chain(Tensor x) {
        Tensor h = x;
        for (int i = 0; i < 6; i++) h = h.matmul(x).tanh();
        return h.sum();
    }

    private static Tensor scan(Tensor x) {
        return Loop.repeat(40, x, h -> h.matmul(x).tanh()).sum();
    }

    private static Tensor loops(Tensor x) {
        return Loop.whileTrue(100, x, h -> h.square().sum().gt(h.literal(0.01)), h -> h.mul(0.9))
                .sum();
    }

    private static Array run(Fn<Tensor, Tensor> f, Device device, Budget budget) {
        try (var gradient = Ebb.compile(Ebb.grad(f)).within(budget).on(device)) {
            return (Array) gradient.apply(X);
        }
    }

    @Test
    void itsMemoryCannotBeTouched() {
        try (var queue = new RemoteDevice().open()) {
            var memory = queue.allocate(64).memory();
            assertThatThrownBy(memory::segment).hasMessageContaining("not the host's");
        }
    }

    @Test
    void whatIsWrittenMayChangeAtOnce() {
        try (var queue = new RemoteDevice().open()) {
            var memory = queue.allocate(64).memory();
            var data = new long[] {1, 2, 3, 4, 5, 6, 7, 8};
            queue.write(MemorySegment.ofArray(data), memory);
            data[0] = -1;
            var back = new long[8];
            queue.read(memory, MemorySegment.ofArray(back));
            assertThat(back).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        }
    }

    @Test
    void bitsAreThoseOfItsKernelsAtEveryBudget(@TempDir Path folder) {
        for (Fn<Tensor, Tensor> f :
                List.<Fn<Tensor, Tensor>>of(
                        RemoteDeviceTest::chain, RemoteDeviceTest::scan, RemoteDeviceTest::loops)) {
            var expected = run(f, Devices.reference(), Budget.unlimited());
            var least = least(f);
            for (var budget :
                    new Budget[] {
                        Budget.unlimited(),
                        Budget.bytes(least),
                        Budget.bytes(least).with(Disk.in(folder, 64L << 20)),
                        Budget.bytes(least).with(Host.memory(64L << 20)),
                        Budget.bytes(least).with(Host.pinned(64L << 20))
                    }) {
                assertThat(run(f, new RemoteDevice(), budget).sameBits(expected)).isTrue();
            }
        }
    }

    private static long least(Fn<Tensor, Tensor> f) {
        try (var gradient = Ebb.compile(Ebb.grad(f))) {
            return gradient.on(Devices.reference()).plan(X).leastBytes();
        }
    }

    /** A program whose course is known beforehand is read when its results are, and not before. */
    @Test
    void theHostReadsResultsAlone() {
        Fn<Tensor, Tensor> nested =
                x -> Loop.repeat(5, x, h -> Loop.repeat(4, h, g -> g.matmul(x).tanh())).sum();
        for (Fn<Tensor, Tensor> f :
                List.<Fn<Tensor, Tensor>>of(
                        RemoteDeviceTest::chain, RemoteDeviceTest::scan, nested)) {
            var least = Budget.bytes(least(f));
            for (var planner :
                    List.of(
                            new StoreAll(),
                            new RecomputeAll(),
                            new Binomial(2),
                            new Binomial(3, 0),
                            new Fit(least))) {
                var device = new RemoteDevice();
                try (var gradient = Ebb.compile(Ebb.grad(f)).with(planner).on(device)) {
                    for (int run = 0; run < 3; run++) {
                        long before = device.reads();
                        gradient.apply(X);
                        assertThat(device.reads() - before).as("%s", planner).isEqualTo(1);
                    }
                }
            }
        }
    }

    /** One number is read for each decision: one more than a while loop has iterations. */
    @Test
    void theHostReadsOneNumberForEachDecision() {
        Fn<Tensor, Tensor> f =
                x ->
                        Loop.whileTrue(
                                100,
                                x,
                                h -> h.reshape(-1).slice(0, 0, 1).sum().lt(h.literal(7)),
                                h -> h.add(1));
        var device = new RemoteDevice();
        try (var run = Ebb.compile(f).on(device)) {
            var x = Array.of(Shape.of(2), 0.5, 1.0);
            run.apply(x);
            long before = device.reads();
            run.apply(x);
            assertThat(device.reads() - before).isEqualTo(7 + 1 + 1);
        }
    }

    /** The device orders copies to pinned memory: the host reads nothing but the result. */
    @Test
    void whatIsPutInPinnedMemoryIsNotReadByTheHost() {
        var first = noise(40, 40);
        var weights = new ArrayList<Tensor>();
        for (int i = 0; i < 6; i++) weights.add(first.mul(1 + i));
        Fn<List<Tensor>, List<Tensor>> f =
                Ebb.grad(
                        all -> {
                            Tensor h = first;
                            for (var w : all) h = h.add(h.matmul(w).tanh());
                            return h.square().mean();
                        });
        List<Tensor> expected;
        try (var kept = Ebb.compile(f).on(Devices.reference())) {
            expected = kept.apply(weights);
        }
        var device = new RemoteDevice();
        var pool = Host.pinned(1 << 20);
        var away = Ebb.compile(f).within(Budget.unlimited().with(pool)).on(device);
        var least = Budget.bytes(away.plan(weights).curve().leastBytes());
        try (var gradient = away.within(least.with(pool))) {
            for (int run = 0; run < 5; run++) {
                long before = device.reads();
                assertSameBits(gradient.apply(weights), expected);
                // results that end in pinned memory are not read from the device
                assertThat(device.reads() - before).isLessThanOrEqualTo(expected.size());
            }
            var pinned = gradient.report().places().getFirst();
            assertThat(pinned.measuredBytes()).isEqualTo(pinned.promisedBytes()).isPositive();
            assertSameBits(gradient.verify(weights), expected);
        }
    }

    private static void assertSameBits(List<Tensor> found, List<Tensor> expected) {
        for (int i = 0; i < expected.size(); i++)
            assertThat(((Array) found.get(i)).sameBits((Array) expected.get(i))).isTrue();
    }

    /** A step and an evaluation share one arena and one queue, and take turns in it. */
    @Test
    void aStepAndAnEvaluationAreCalledByTwoThreads() throws Exception {
        int steps = 40;
        Fn2<Tensor, Tensor, Next<Tensor, Tensor>> step =
                (s, x) -> new Next<>(s.matmul(x).tanh().add(s), s.sum());
        Fn2<Tensor, Tensor, Tensor> evaluation = (s, x) -> s.matmul(x).square().sum();
        var values = new HashSet<Double>();
        var state = X;
        for (int i = 0; i <= steps; i++) {
            values.add(evaluation.apply(state, X).item());
            state = (Array) step.apply(state, X).state();
        }
        try (var both = Ebb.stepper(step).on(new RemoteDevice()).start(X, X, evaluation, X)) {
            var seen = new FutureTask<>(() -> evaluated(both.evaluation(), steps));
            Thread.ofPlatform().start(seen);
            for (int i = 0; i < steps; i++) both.stepper().step(X);
            assertThat(values).containsAll(seen.get());
        }
    }

    private static List<Double> evaluated(Evaluation<Tensor, Tensor> evaluation, int times) {
        var seen = new ArrayList<Double>();
        for (int i = 0; i < times; i++) seen.add(evaluation.apply(X).item());
        return seen;
    }

    @Test
    void valuesWithoutElementsPass(@TempDir Path folder) {
        Fn<Tensor, Tensor> f =
                x -> {
                    var none = x.slice(0, 0, 0);
                    var looped = Loop.repeat(3, none, h -> h.matmul(x).add(h).tanh());
                    var never = Loop.repeat(0, x, h -> h.matmul(x));
                    return looped.sum().add(never.matmul(x).sum()).add(none.exp().sum());
                };
        var expected = run(f, Devices.reference(), Budget.unlimited());
        var least = Budget.bytes(least(f));
        for (var budget :
                new Budget[] {
                    Budget.unlimited(),
                    least,
                    least.with(Disk.in(folder, 1L << 20)),
                    least.with(Host.pinned(1L << 20))
                }) assertThat(run(f, new RemoteDevice(), budget).sameBits(expected)).isTrue();
        try (var tape = new Tape(Budget.kibibytes(64), new RemoteDevice())) {
            var x = tape.watch(X);
            var slope = tape.array(tape.gradient(f.apply(x), x));
            assertThat(slope.sameBits(expected)).isTrue();
        }
    }

    @Test
    void recomputedValuesAreVerifiedThere() {
        var strategy = new RecomputeAll();
        try (var gradient =
                Ebb.compile(Ebb.grad(RemoteDeviceTest::chain))
                        .with(strategy)
                        .on(new RemoteDevice())) {
            var expected = run(RemoteDeviceTest::chain, Devices.reference(), Budget.unlimited());
            assertThat(gradient.verify(X).sameBits(expected)).isTrue();
        }
    }

    @Test
    void aTapeRunsThere() {
        var expected = run(RemoteDeviceTest::chain, Devices.reference(), Budget.unlimited());
        try (var tape = new Tape(Budget.kibibytes(40), new RemoteDevice())) {
            var x = tape.watch(X);
            var slope = tape.gradient(chain(x), x);
            assertThat(tape.array(slope).sameBits(expected)).isTrue();
        }
    }

    /** A failure on the queue reaches the host where it waits, and the next work runs. */
    @Test
    void aFailureIsHeardWhereTheHostWaits() {
        try (Queue queue = new RemoteDevice().open()) {
            var memory = queue.allocate(64).memory();
            queue.copy(memory, memory.slice(0, 8));
            assertThatThrownBy(queue::finish).isInstanceOf(IndexOutOfBoundsException.class);
            queue.clear(memory);
            queue.finish();
        }
    }
}
