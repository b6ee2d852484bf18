package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Online;
import dev.ebb.plan.Revolve;
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
                var online = new Online(slots);
                for (int t = 0; t < steps; t++) online.offer(t);
                assertThat(count.get())
                        .as("%s steps, %s slots", steps, slots)
                        .isEqualTo(steps + Online.reversal(online.kept(), steps, slots));
            }
        }
    }

    private static final int WIDTH = 1000;

    private static Tensor wide(Tensor x, int steps) {
        return Loop.repeat(steps, x, c -> c.add(c.mul(c).mul(-0.001)).sin()).sum();
    }

    @Test
    void tenThousandStepsHaveTheBitsOfStoreAll() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, 10));
        Fn<Tensor, Tensor> f = v -> wide(v, 10_000);
        var all = (Array) Ebb.compile(Ebb.grad(f)).apply(x);
        try (var few = Ebb.compile(Ebb.grad(f)).with(new Binomial(20))) {
            assertThat(((Array) few.apply(x)).sameBits(all)).isTrue();
            assertThat(few.report().measuredBytes()).isEqualTo(few.report().promisedBytes());
        }
    }

    @Test
    void aWideStateTakesTwentySlotsHoweverLongTheLoop() {
        var x = (Array) Key.of(1).uniform(Type.of(DType.F32, WIDTH));
        var promised = new ArrayList<Long>();
        for (int steps : new int[] {100, 1000}) {
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
        long start = System.nanoTime();
        for (int steps : new int[] {1000, 1_000_000}) {
            try (var few =
                    Ebb.compile(Ebb.grad((Tensor v) -> wide(v, steps))).with(new Binomial(20))) {
                promised.add(few.plan(x).layout().arenaBytes());
            }
        }
        assertThat((System.nanoTime() - start) / 1e9).isLessThan(10);
        assertThat(promised.getFirst()).isEqualTo(promised.getLast());
    }

    /** Rounds that are said to cost more and more: other checkpoints, the same bits. */
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
}
