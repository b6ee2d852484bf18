package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Disk;
import dev.ebb.reference.RandomUpdates;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** Updates of states that read the same are one kernel, where nothing has to wait for it. */
class UpdatesTest {
    private static final int SIDE = 64;
    private static final long BYTES = 4L * SIDE * SIDE;

    record State(Tensor w, Tensor m, Tensor v) {}

    private static Tensor numbers(int seed) {
        var numbers = new double[SIDE * SIDE];
        for (int i = 0; i < numbers.length; i++) numbers[i] = Math.sin(seed + 0.7 * i);
        return Array.of(Type.of(DType.F32, SIDE, SIDE), numbers);
    }

    private static State start() {
        return new State(numbers(1), numbers(2), numbers(3).square());
    }

    private static Tensor gradient(Tensor w, Tensor x) {
        return Ebb.grad((Tensor u) -> x.matmul(u).tanh().matmul(u).square().mean()).apply(w);
    }

    private static State adam(State s, Tensor g) {
        var m = s.m.mul(0.9).add(g.mul(0.1));
        var v = s.v.mul(0.99).add(g.square().mul(0.01));
        return new State(s.w.sub(m.div(v.sqrt().add(1e-8)).mul(0.1)), m, v);
    }

    private static List<Node> maps(Stepper<State, Tensor, Tensor> stepper) {
        return stepper.plan().schedule().problem().graph().nodes().stream()
                .filter(n -> n.kernel() instanceof Kernel.Map && n.inputs().size() > 1)
                .filter(n -> n.outputTypes().getFirst().size() == SIDE * SIDE)
                .toList();
    }

    private static Stepper<State, Tensor, Tensor> stepper(
            Fn2<State, Tensor, Next<State, Tensor>> step) {
        return Ebb.stepper(step).on(Devices.best()).start(start(), numbers(4));
    }

    private static boolean copies(Stepper<State, Tensor, Tensor> stepper) {
        return stepper.plan().schedule().problem().graph().nodes().stream()
                .anyMatch(n -> n.op().name().equals("put"));
    }

    private static void sameBits(Fn2<State, Tensor, Next<State, Tensor>> step) {
        try (var stepper = stepper(step);
                var plain =
                        Ebb.compile((Next<State, Tensor> at) -> step.apply(at.state(), at.out()))
                                .on(Devices.best())
                                .unfused()) {
            var state = start();
            for (int i = 0; i < 3; i++) {
                var expected = plain.apply(new Next<>(state, numbers(4 + i)));
                state = expected.state();
                same(expected.out(), stepper.step(numbers(4 + i)));
            }
            same(state.w, stepper.state().w);
            same(state.m, stepper.state().m);
            same(state.v, stepper.state().v);
        }
    }

    private static void same(Tensor expected, Tensor actual) {
        assertThat(expected.sameBits((Array) actual)).isTrue();
    }

    @Test
    void an_optimizer_reads_everything_once() {
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) -> new Next<>(adam(s, gradient(s.w, x)), s.w.sum());
        try (var stepper = stepper(step)) {
            var updates = maps(stepper).stream().filter(n -> n.outputs().size() > 1).toList();
            assertThat(updates).hasSize(1);
            assertThat(updates.getFirst().outputs()).hasSize(3);
            assertThat(updates.getFirst().inputs()).hasSize(4).doesNotHaveDuplicates();
            assertThat(copies(stepper)).isFalse();
        }
        sameBits(step);
    }

    @Test
    void an_exchange_needs_no_copy() {
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) -> new Next<>(new State(s.m.add(x), s.w.sub(x), s.v), s.v.sum());
        try (var stepper = stepper(step)) {
            assertThat(copies(stepper)).isFalse();
            assertThat(stepper.plan().peakBytes()).isLessThan(4 * BYTES + BYTES / 8);
        }
        sameBits(step);
    }

    @Test
    void what_comes_out_as_it_went_in_is_not_touched() {
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) -> new Next<>(new State(s.w.add(x), s.m, s.v), x.matmul(s.m).matmul(s.v));
        try (var stepper = stepper(step)) {
            assertThat(maps(stepper)).hasSize(1);
            assertThat(copies(stepper)).isFalse();
        }
        sameBits(step);
    }

    @Test
    void what_waits_for_more_waits_alone() {
        // the weights move by the norm of what comes out of a long computation; the moments need
        // not wait for it with the gradient in hand
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) -> {
                    var g = gradient(s.w, x);
                    var m = s.m.mul(0.9).add(g.mul(0.1));
                    var far = x.matmul(x).tanh().matmul(x).square().mean();
                    return new Next<>(new State(s.w.sub(m.mul(far)), m, s.v), far);
                };
        try (var stepper = stepper(step)) {
            assertThat(maps(stepper)).allMatch(n -> n.outputs().size() == 1);
        }
        sameBits(step);
    }

    @Test
    void what_both_wait_for_keeps_them_together() {
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) -> {
                    var g = gradient(s.w, x);
                    var clipped = g.mul(g.square().sum().add(1).sqrt().pow(-1));
                    return new Next<>(adam(s, clipped), x.matmul(x).mean());
                };
        try (var stepper = stepper(step)) {
            assertThat(maps(stepper)).anyMatch(n -> n.outputs().size() == 3);
        }
        sameBits(step);
    }

    @Test
    void who_reads_the_old_weights_and_the_new_moment_stands_between() {
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) -> {
                    var m = s.m.mul(0.9).add(x.mul(0.1));
                    var w = s.w.sub(m);
                    return new Next<>(new State(w, m, s.v), m.matmul(s.w).mean());
                };
        try (var stepper = stepper(step)) {
            assertThat(maps(stepper)).allMatch(n -> n.outputs().size() == 1);
            assertThat(copies(stepper)).isFalse();
        }
        sameBits(step);
    }

    @Test
    void a_state_that_is_read_elsewhere_than_it_is_written_stays_by_itself() {
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) ->
                        new Next<>(
                                new State(s.w.add(x), s.m.add(x).add(s.w.transpose()), s.v),
                                x.sum());
        try (var stepper = stepper(step)) {
            assertThat(maps(stepper)).allMatch(n -> n.outputs().size() == 1);
            assertThat(copies(stepper)).isFalse();
        }
        sameBits(step);
    }

    @Test
    void states_on_a_disk_are_updated_one_by_one(@TempDir Path folder) {
        Fn2<State, Tensor, Next<State, Tensor>> step =
                (s, x) -> new Next<>(adam(s, gradient(s.w, x)), s.w.sum());
        var disk = Disk.in(folder, 1L << 20);
        var all = Ebb.stepper(step).within(Budget.unlimited().with(disk)).on(Devices.best());
        long least = all.plan(start(), numbers(4)).leastBytes();
        try (var stepper = all.within(Budget.bytes(least).with(disk)).start(start(), numbers(4))) {
            assertThat(maps(stepper)).allMatch(n -> n.outputs().size() == 1);
        }
    }

    @Test
    void small_numbers_come_first() {
        // a rate that is written last must not keep the gradients waiting
        Fn2<Two, Tensor, Next<Two, Tensor>> step =
                (s, x) -> {
                    var slope =
                            Ebb.grad((Two t) -> x.matmul(t.a.w).tanh().matmul(t.b.w).mean())
                                    .apply(s);
                    var rate = s.count.add(1).pow(-1).mul(0.1);
                    var next =
                            new Two(
                                    moved(s.a, slope.a.w, rate),
                                    moved(s.b, slope.b.w, rate),
                                    s.count.add(1));
                    return new Next<>(next, x.sum());
                };
        var two = new Two(start(), start(), Array.scalar(0f));
        try (var stepper = Ebb.stepper(step).on(Devices.best()).start(two, numbers(4))) {
            var graph = stepper.plan().schedule().problem().graph();
            assertThat(graph.nodes().stream().filter(n -> n.outputs().size() == 3)).hasSize(2);
            // six states, the input and two more; with both gradients in wait it would be three
            assertThat(stepper.plan().peakBytes()).isLessThan(9 * BYTES + BYTES / 2);
        }
    }

    record Two(State a, State b, Tensor count) {}

    private static State moved(State s, Tensor g, Tensor rate) {
        var next = adam(s, g);
        return new State(s.w.sub(next.m.mul(next.v).mul(rate)), next.m, next.v);
    }

    @Test
    void merging_keeps_the_bytes() {
        Fn2<State, Tensor, Next<State, Tensor>> adam =
                (s, x) -> new Next<>(adam(s, gradient(s.w, x)), x.sum());
        Fn2<State, Tensor, Next<State, Tensor>> plain =
                (s, x) -> new Next<>(new State(s.w.sub(gradient(s.w, x)), s.m, s.v), x.sum());
        try (var all = stepper(adam);
                var least = stepper(plain)) {
            assertThat(all.plan().peakBytes()).isLessThanOrEqualTo(least.plan().peakBytes());
        }
    }

    @Test
    void random_updates_keep_their_bits() {
        long merged = 0;
        for (long seed = 0; seed < 150; seed++) {
            var updates = RandomUpdates.of(seed, 9);
            var expected = updates.plain(Devices.reference());
            var actual = updates.stepped(Devices.best());
            for (int i = 0; i < expected.size(); i++) {
                assertThat(expected.get(i).sameBits((Array) actual.get(i)))
                        .as("value %d of %s", i, updates)
                        .isTrue();
            }
            merged += updates.merged(Devices.best());
        }
        assertThat(merged).isGreaterThan(30);
    }
}
