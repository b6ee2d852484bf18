package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.Device;
import dev.ebb.exec.HostQueue;
import dev.ebb.exec.Queue;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.StoreAll;
import dev.ebb.plan.Threads;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/** A budget is divided between the arena and the workers of a device that owns memory for each. */
class SharedWorkTest {
    private static final long EACH = 3_000;

    /** A device that owns {@link #EACH} bytes for each worker. */
    private record Sharing(Threads threads, List<Integer> opened, List<Integer> closed)
            implements Device {

        static Sharing of(int threads, boolean asked) {
            return new Sharing(new Threads(threads, asked), new ArrayList<>(), new ArrayList<>());
        }

        @Override
        public String name() {
            return "sharing";
        }

        @Override
        public long workspaceBytes(Node node) {
            return new Reference().workspaceBytes(node);
        }

        @Override
        public IntToLongFunction ownBytes(List<Node> nodes) {
            return workers -> workers * EACH;
        }

        @Override
        public long mostOwnBytes(int workers) {
            return workers * EACH;
        }

        @Override
        public Queue open() {
            return new HostQueue(
                    new HostQueue.Binder() {
                        @Override
                        public Runnable bind(
                                Node node, List<Buffer> in, List<Buffer> out, Buffer workspace) {
                            return new Reference().bind(node, in, out, workspace);
                        }

                        @Override
                        public IntToLongFunction ownBytes(List<Node> nodes) {
                            return Sharing.this.ownBytes(nodes);
                        }

                        @Override
                        public void reserve(List<Node> nodes, int workers) {
                            opened.add(workers);
                        }

                        @Override
                        public void release() {
                            closed.add(1);
                        }
                    });
        }
    }

    private static final Array X = (Array) Key.of(1).uniform(Type.of(DType.F32, 16, 16));

    private static final Fn<Tensor, Tensor> CHAIN =
            x -> {
                Tensor h = x;
                for (int i = 0; i < 12; i++) h = h.matmul(x).tanh();
                return h.sum();
            };

    private static final Fn<Tensor, Tensor> LOOP =
            x -> Loop.repeat(40, x, c -> c.matmul(x).tanh()).sum();

    @Test
    void theScheduleDoesNotDependOnTheCores() {
        long[] budgets = {14_000, 17_000, 30_000, 60_000, 400_000};
        for (var f : List.of(CHAIN, LOOP)) {
            var decided = new ArrayList<List<String>>();
            for (int cores : new int[] {1, 2, 16, 64}) {
                var device = Sharing.of(cores, false);
                var here = Ebb.compile(Ebb.grad(f)).on(device);
                var own = new ArrayList<String>();
                for (long budget : budgets) {
                    try (var grad = here.within(Budget.bytes(budget))) {
                        var plan = grad.plan(X);
                        own.add(plan.schedule().steps().toString());
                        own.add("least " + plan.leastBytes());
                        assertThat(plan.workers()).isBetween(1, cores);
                        assertThat(plan.peakBytes())
                                .isLessThanOrEqualTo(budget)
                                .isEqualTo(plan.layout().arenaBytes() + plan.workers() * EACH);
                        if (plan.workers() < cores)
                            assertThat(plan.peakBytes() + EACH).isGreaterThan(budget);
                        grad.apply(X);
                        assertThat(device.opened()).hasSize(own.size() / 2);
                        assertThat(device.opened().getLast()).isEqualTo(plan.workers());
                        assertThat(grad.report().promisedBytes()).isEqualTo(plan.peakBytes());
                    }
                    assertThat(device.closed()).hasSize(own.size() / 2);
                }
                decided.add(own);
            }
            assertThat(decided).containsOnly(decided.getFirst());
        }
    }

    @Test
    void moreMemoryNeverCostsTime() {
        for (var f : List.of(CHAIN, LOOP)) {
            for (boolean asked : new boolean[] {false, true}) {
                var device = Sharing.of(8, asked);
                var here = Ebb.compile(Ebb.grad(f)).on(device);
                long least = here.plan(X).curve().leastBytes();
                long all = here.plan(X).storeAllBytes();
                long step = Math.max(1, (all - least) / 20);
                double last = Double.MAX_VALUE;
                for (long budget = least; budget <= all + 1000; budget += step) {
                    try (var grad = here.within(Budget.bytes(budget))) {
                        double cost = grad.plan(X).cost();
                        assertThat(cost).as("at %d bytes", budget).isLessThanOrEqualTo(last);
                        last = cost;
                    }
                }
            }
        }
    }

    @Test
    void theLeastBudgetIsWithOneWorkerAndRuns() {
        var device = Sharing.of(64, false);
        long least;
        Array expected;
        try (var grad = Ebb.compile(Ebb.grad(CHAIN)).on(device)) {
            least = grad.plan(X).leastBytes();
            expected = (Array) grad.apply(X);
            assertThat(grad.plan(X).workers()).isEqualTo(64);
        }
        try (var grad = Ebb.compile(Ebb.grad(CHAIN)).within(Budget.bytes(least)).on(device)) {
            assertThat(grad.plan(X).workers()).isOne();
            assertThat(grad.plan(X).peakBytes()).isEqualTo(least);
            assertThat(grad.apply(X).sameBits(expected)).isTrue();
        }
        try (var grad = Ebb.compile(Ebb.grad(CHAIN)).within(Budget.bytes(least - 1)).on(device)) {
            assertThatThrownBy(() -> grad.plan(X))
                    .isInstanceOf(OverBudgetException.class)
                    .hasMessageContaining("the least that works is " + least)
                    .hasMessageContaining("buffers of the device take 3000 bytes")
                    .hasMessageContaining("a single worker");
        }
    }

    @Test
    void everyCornerOfACurveIsReached() {
        var device = Sharing.of(4, false);
        try (var grad = Ebb.compile(Ebb.grad(CHAIN)).on(device)) {
            var curve = grad.plan(X).curve();
            for (var point : curve.points())
                assertThat(curve.at(Budget.bytes(point.bytes())).cost())
                        .isLessThanOrEqualTo(point.cost());
            assertThat(curve.points().getLast().bytes()).isEqualTo(curve.leastBytes());
        }
    }

    @Test
    void aStrategyRunsOnAsManyWorkersAsFit() {
        var device = Sharing.of(64, false);
        long arena;
        try (var grad = Ebb.compile(Ebb.grad(CHAIN)).on(device)) {
            arena = grad.plan(X).layout().arenaBytes();
        }
        var budget = Budget.bytes(arena + 5 * EACH);
        try (var grad =
                Ebb.compile(Ebb.grad(CHAIN)).within(budget).on(device).with(new StoreAll())) {
            assertThat(grad.plan(X).workers()).isEqualTo(5);
            assertThat(grad.plan(X).peakBytes()).isEqualTo(arena + 5 * EACH);
        }
    }

    @Test
    void aTapeReservesForWhatItRuns() {
        var device = Sharing.of(4, false);
        try (var tape = new Tape(Budget.bytes(100_000), device)) {
            var x = tape.watch(X);
            tape.array(tape.gradient(CHAIN.apply(x), x));
            assertThat(tape.report().measuredBytes()).isLessThanOrEqualTo(100_000);
            // an eighth of the budget
            assertThat(device.opened()).contains(4).doesNotContain(5);
        }
        for (int refused : new int[] {5_000, 5_999}) {
            try (var tape = new Tape(Budget.bytes(refused), device)) {
                var x = tape.watch(X);
                assertThatThrownBy(() -> tape.array(x.square().sum()))
                        .isInstanceOf(OverBudgetException.class)
                        .hasMessageContaining("to run on one worker")
                        .hasMessageContaining("give the tape a budget of 6000 bytes");
            }
        }
        try (var tape = new Tape(Budget.bytes(6_000), device)) {
            assertThat(tape.array(tape.watch(X).square().sum()).rank()).isZero();
        }
    }
}
