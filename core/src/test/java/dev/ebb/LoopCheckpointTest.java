package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.loop.CheckpointSplits;
import dev.ebb.plan.loop.OnlineCheckpoints;
import dev.ebb.plan.loop.OnlineReversal;
import dev.ebb.plan.loop.Revolve;
import dev.ebb.plan.schedule.Step;
import dev.ebb.reference.ProcessorTime;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** How often a checkpointed loop runs its body, and what that leaves unchanged. */
class LoopCheckpointTest {

    private static Tensor stepped(Tensor x, Watched counting) {
        return x.apply(counting).sin().mul(0.99);
    }

    @Test
    void aScanRunsAsManyStepsAsRevolveSays() {
        for (int steps : new int[] {2, 7, 30, 200}) {
            for (int slots : new int[] {1, 2, 3, 6}) {
                if (slots >= steps) continue;
                var count = new AtomicLong();
                Fn<Tensor, Tensor> f =
                        x ->
                                Loop.repeat(
                                                steps,
                                                x,
                                                c ->
                                                        stepped(
                                                                c,
                                                                new Watched(
                                                                        _ ->
                                                                                count
                                                                                        .incrementAndGet())))
                                        .sum();
                try (var grad = Ebb.compile(Ebb.grad(f)).with(new Binomial(slots))) {
                    grad.apply(Array.of(0.4, 0.9));
                }
                assertThat(count.get())
                        .as("%s steps, %s slots", steps, slots)
                        .isEqualTo(Revolve.forwards(steps, slots));
            }
        }
    }

    @Test
    void aWhileLoopRunsAsManyStepsAsItsOnlineScheduleSays() {
        for (int steps : new int[] {1, 5, 40, 150}) {
            for (int slots : new int[] {2, 3, 6}) {
                var count = new AtomicLong();
                record Carry(Tensor x, Tensor left) {}
                Fn<Tensor, Tensor> f =
                        x ->
                                Loop.whileTrue(
                                                1000,
                                                new Carry(x, x.literal(steps).cast(DType.I64)),
                                                c -> c.left().gt(0),
                                                c ->
                                                        new Carry(
                                                                stepped(
                                                                        c.x(),
                                                                        new Watched(
                                                                                _ ->
                                                                                        count
                                                                                                .incrementAndGet())),
                                                                c.left().sub(1)))
                                        .x()
                                        .sum();
                try (var grad = Ebb.compile(Ebb.grad(f)).with(new Binomial(slots))) {
                    grad.apply(Array.of(0.4, 0.9));
                }
                var online = new OnlineCheckpoints(slots);
                for (int t = 0; t < steps; t++) online.offer(t);
                assertThat(count.get())
                        .as("%s steps, %s slots", steps, slots)
                        .isEqualTo(steps + OnlineReversal.forwards(online.kept(), steps, slots));
            }
        }
    }

    private static final int WIDTH = 1000;

    private static Tensor wide(Tensor x, int steps) {
        return Loop.repeat(steps, x, c -> c.add(c.mul(c).mul(-0.001)).sin()).sum();
    }

    @Test
    void threeThousandStepsHaveTheBitsOfStoreAll() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, 10));
        Fn<Tensor, Tensor> f = v -> wide(v, 3_000);
        var all = (Array) Ebb.compile(Ebb.grad(f)).apply(x);
        try (var few = Ebb.compile(Ebb.grad(f)).with(new Binomial(20))) {
            assertThat(few.apply(x).sameBits(all)).isTrue();
            assertThat(few.report().measuredBytes()).isEqualTo(few.report().promisedBytes());
        }
    }

    @Test
    void aWideStateTakesTwentySlotsHoweverLongTheLoop() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F32, WIDTH));
        var promised = new ArrayList<Long>();
        for (int steps : new int[] {100, 400}) {
            try (var few =
                    Ebb.compile(Ebb.grad((Tensor v) -> wide(v, steps))).with(new Binomial(20))) {
                few.apply(x);
                promised.add(few.report().promisedBytes());
                assertThat(few.report().measuredBytes()).isEqualTo(few.report().promisedBytes());
            }
        }
        assertThat(promised.getFirst()).isEqualTo(promised.getLast());
        assertThat(promised.getFirst()).isLessThan(40L * WIDTH * Float.BYTES);
    }

    @Test
    void aMillionStepsArePlannedSoonAndTakeNoMore() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F32, WIDTH));
        var promised = new ArrayList<Long>();
        for (int steps : new int[] {1000, 1_000_000}) {
            try (var few =
                    Ebb.compile(Ebb.grad((Tensor v) -> wide(v, steps))).with(new Binomial(20))) {
                double seconds =
                        ProcessorTime.seconds(
                                () -> promised.add(few.plan(x).layout().arenaBytes()));
                assertThat(seconds).isLessThan(10);
            }
        }
        assertThat(promised.getFirst()).isEqualTo(promised.getLast());
    }

    /** Iterations that are said to cost more and more: other checkpoints, the same bits. */
    @Test
    void aDeclaredCostMovesCheckpointsAndNothingElse() {
        int steps = 60;
        var xs = Tensors.iota(DType.F64, Shape.of(steps), 0).mul(0.01);
        var gradients = new ArrayList<Array>();
        var work = new ArrayList<Double>();
        for (boolean declared : new boolean[] {false, true}) {
            var ran = new ArrayList<Integer>();
            Fn<Tensor, Tensor> f =
                    c ->
                            Loop.<Tensor, Tensor, Tensor>scan(
                                            c,
                                            xs,
                                            i -> declared ? Math.exp(i * 0.2) : 1,
                                            (h, x) -> {
                                                var noted =
                                                        x.apply(
                                                                new Watched(
                                                                        b ->
                                                                                ran.add(
                                                                                        (int)
                                                                                                Math
                                                                                                        .round(
                                                                                                                b
                                                                                                                                .get(
                                                                                                                                        0)
                                                                                                                        * 100))));
                                                var next = h.add(noted).sin();
                                                return new Next<>(next, next);
                                            })
                                    .carry()
                                    .sum();
            try (var grad = Ebb.compile(Ebb.grad(f)).with(new Binomial(3))) {
                gradients.add((Array) grad.apply(Array.of(0.4, 0.9)));
            }
            work.add(ran.stream().mapToDouble(i -> Math.exp(i * 0.2)).sum());
        }
        assertThat(gradients.getLast().sameBits(gradients.getFirst())).isTrue();
        assertThat(work.getLast()).isLessThan(0.9 * work.getFirst());
    }

    private static final int ITERATIONS = 300;

    /** A body whose reverse reads several values of it besides its carry. */
    private static Tensor deep(Tensor x, Watched counting) {
        return Loop.repeat(
                        ITERATIONS,
                        x,
                        c -> {
                            var a = c.apply(counting).cumsum(0).sin();
                            return a.cumsum(0).mul(c).tanh().add(a.exp().mul(0.1));
                        })
                .sum();
    }

    /**
     * With room for all, no iteration runs twice: what its reverse reads was kept. With less,
     * states are kept as well, and iterations run as often as the schedule of both says, never more
     * often than the binomial formula for the states that the room would hold.
     */
    @Test
    void aBudgetBuysTapesOrStatesWhicheverTakesLess() {
        var x = (Array) Key.of(4).uniform(Type.of(DType.F64, 64));
        var gradients = new ArrayList<Array>();
        var counts = new ArrayList<Long>();
        long whole = 0;
        for (double share : new double[] {1, 0.5, 0.2, 0.1, 0.05, 0.03}) {
            var count = new AtomicLong();
            var counting = new Watched(_ -> count.incrementAndGet());
            var budget = share == 1 ? Budget.unlimited() : Budget.bytes((long) (whole * share));
            try (var grad = Ebb.compile(Ebb.grad((Tensor v) -> deep(v, counting))).within(budget)) {
                gradients.add((Array) grad.apply(x));
                var report = grad.report();
                assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
                if (share == 1) whole = report.promisedBytes();
                assertThat(report.promisedBytes()).isLessThanOrEqualTo((long) (whole * share));
                var area = area(grad.plan(x));
                // with less memory a tape may hold less than the reverse of an iteration reads
                if (share == 1) assertThat(area.tape()).isGreaterThan(2 * area.state());
                counts.add(count.get());
                long iterations =
                        CheckpointSplits.of(IterationCosts.EVEN, area, ITERATIONS)
                                .forwards(ITERATIONS);
                assertThat(iterations)
                        .isLessThanOrEqualTo(
                                Revolve.forwards(
                                        ITERATIONS, Math.min(ITERATIONS, area.levels() + 1)));
                // the reverse of an iteration may compute it once more
                assertThat(count.get()).isBetween(iterations, iterations + ITERATIONS);
            }
        }
        assertThat(counts.getFirst()).isEqualTo(ITERATIONS);
        assertThat(counts).isSorted();
        assertThat(counts.getLast()).isGreaterThan(2L * ITERATIONS);
        for (var g : gradients) assertThat(g.sameBits(gradients.getFirst())).isTrue();
    }

    private static CheckpointArea area(Plan plan) {
        for (var step : plan.schedule().steps()) {
            if (step instanceof Step.Compute(var node, _)
                    && node.kernel() instanceof Control.ReverseScan scan) return scan.area();
        }
        throw new AssertionError("no loop is reversed");
    }

    /** As many steps as the schedule for the room that the planner chose says. */
    @Test
    void tenThousandStepsInRoomForTwenty() {
        int steps = 10_000;
        var count = new AtomicLong();
        var counting = new Watched(_ -> count.incrementAndGet());
        Fn<Tensor, Tensor> f =
                v -> Loop.repeat(steps, v, c -> c.apply(counting).mul(1.0001).sin()).sum();
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, 8));
        try (var grad = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(28 * 64))) {
            grad.apply(x);
            var area = area(grad.plan(x));
            assertThat(area.levels()).isBetween(15, 25);
            assertThat(count.get())
                    .isEqualTo(
                            CheckpointSplits.of(IterationCosts.EVEN, area, steps).forwards(steps))
                    .isLessThanOrEqualTo(Revolve.forwards(steps, area.levels() + 1));
            assertThat(grad.report().measuredBytes()).isEqualTo(grad.report().promisedBytes());
        }
    }

    @Test
    void aWhileLoopKeepsFewerStatesWhereFewFit() {
        record Carry(Tensor x, Tensor left) {}
        Fn<Tensor, Tensor> f =
                v ->
                        Loop.whileTrue(
                                        1000,
                                        new Carry(v, v.slice(0, 0, 1).reshape().mul(0).add(90)),
                                        c -> c.left().gt(0),
                                        c -> new Carry(c.x().mul(c.x()).sin(), c.left().sub(1)))
                                .x()
                                .sum();
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, 100));
        Array expected;
        long most;
        try (var grad = Ebb.compile(Ebb.grad(f))) {
            expected = (Array) grad.apply(x);
            most = grad.report().promisedBytes();
        }
        for (int part : new int[] {2, 3}) {
            try (var grad = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(most / part))) {
                assertThat(grad.apply(x).sameBits(expected)).isTrue();
                assertThat(grad.report().measuredBytes())
                        .isEqualTo(grad.report().promisedBytes())
                        .isLessThanOrEqualTo(most / part);
            }
        }
    }

    @Test
    void aMillionStepsArePlannedWithinABudget() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F32, WIDTH));
        for (int states : new int[] {25, 1000}) {
            var budget = Budget.bytes((long) states * WIDTH * Float.BYTES);
            Ebb.compile(Ebb.grad((Tensor v) -> wide(v, 1000))).within(budget).plan(x);
            try (var few = Ebb.compile(Ebb.grad((Tensor v) -> wide(v, 1_000_000))).within(budget)) {
                var peaks = new ArrayList<Long>();
                // a quarter of a second
                assertThat(ProcessorTime.seconds(() -> peaks.add(few.plan(x).peakBytes())))
                        .isLessThan(5);
                assertThat(peaks.getFirst()).isLessThanOrEqualTo(budget.resolve(0));
            }
        }
    }

    @Test
    void aLoopThatFitsInNoRoomIsRefusedWithTheLeast() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F32, WIDTH));
        Fn<Tensor, Tensor> f = Ebb.grad((Tensor v) -> wide(v, 100));
        var refused = new ArrayList<OverBudgetException>();
        var any = Ebb.compile(f);
        try (var compiled = any.within(Budget.bytes(2L * WIDTH * Float.BYTES))) {
            compiled.plan(x);
        } catch (OverBudgetException e) {
            refused.add(e);
        }
        assertThat(refused).hasSize(1);
        long least = refused.getFirst().leastBytes();
        try (var compiled = any.within(Budget.bytes(least))) {
            compiled.apply(x);
            assertThat(compiled.report().measuredBytes()).isEqualTo(least);
        }
    }

    /** Loops inside loops are run once for their derivative too, in the room of the outer one. */
    @Test
    void anInnerLoopIsReversedInItsOwnRoom() {
        var x = (Array) Key.of(5).uniform(Type.of(DType.F64, 40));
        Fn<Tensor, Tensor> f =
                v ->
                        Loop.repeat(
                                        12,
                                        v,
                                        c ->
                                                Loop.repeat(
                                                        30,
                                                        c,
                                                        d -> d.mul(v).sin().add(d.exp()).mul(0.5)))
                                .sum();
        Array expected;
        long all;
        long least;
        try (var grad = Ebb.compile(Ebb.grad(f))) {
            expected = (Array) grad.apply(x);
            all = grad.report().promisedBytes();
            least = grad.plan(x).leastBytes();
        }
        // the states of the outer loop alone take more: both loops run iterations again
        assertThat(least).isLessThan(12 * 40 * Double.BYTES + 5 * 40 * Double.BYTES);
        for (long bytes : new long[] {all / 2, all / 3, least}) {
            try (var grad = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(bytes))) {
                assertThat(grad.apply(x).sameBits(expected)).isTrue();
                assertThat(grad.report().measuredBytes())
                        .isEqualTo(grad.report().promisedBytes())
                        .isLessThanOrEqualTo(bytes);
            }
        }
        for (int slots : new int[] {1, 3}) {
            try (var grad = Ebb.compile(Ebb.grad(f)).with(new Binomial(slots))) {
                assertThat(grad.apply(x).sameBits(expected)).isTrue();
            }
        }
    }
}
