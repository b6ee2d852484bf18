package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** What a replay may repeat, and what it must not. */
class ReplayTest {
    private static final Shape SHAPE = Shape.of(64);
    private static final Array X = (Array) Key.of(5).normal(new Type(DType.F64, SHAPE));

    private static Tensor dropout(Tensor x, Key key, Watched mask) {
        return x.mul(key.bernoulli(SHAPE, 0.5).apply(mask).cast(DType.F64));
    }

    /** One draw for each iteration; each drawn again whenever its iteration is. */
    @Test
    void aMaskDrawnAgainIsTheSameMask() {
        var masks = new ArrayList<List<Long>>();
        var watched =
                new Watched(
                        b -> {
                            var bits = new ArrayList<Long>();
                            for (int i = 0; i < b.size(); i++) bits.add(b.getLong(i));
                            masks.add(bits);
                        });
        record Carry(Tensor x, Tensor round) {}
        int iterations = 12;
        Fn<Tensor, Tensor> f =
                x ->
                        Loop.repeat(
                                        iterations,
                                        new Carry(x, Tensors.zeros(DType.I64, Shape.scalar())),
                                        c ->
                                                new Carry(
                                                        dropout(
                                                                        c.x().sin(),
                                                                        Key.of(3).fold(c.round()),
                                                                        watched)
                                                                .add(x),
                                                        c.round().add(1)))
                                .x()
                                .square()
                                .sum();
        var all = (Array) Ebb.compile(Ebb.grad(f)).apply(X);
        assertThat(new HashSet<>(masks)).hasSize(iterations);
        masks.clear();
        var again = (Array) Ebb.compile(Ebb.grad(f)).with(new Binomial(1)).apply(X);
        assertThat(again.sameBits(all)).isTrue();
        assertThat(masks).hasSizeGreaterThanOrEqualTo(3 * iterations);
        assertThat(new HashSet<>(masks)).hasSize(iterations);
    }

    @Test
    void aTapeDrawsTheSameMaskAgain() {
        var gradients = new ArrayList<Array>();
        var draws = new ArrayList<Long>();
        long bytes = 512;
        for (long room : new long[] {Long.MAX_VALUE, 14 * bytes}) {
            var count = new AtomicLong();
            try (var tape = new Tape(Budget.bytes(room))) {
                var x = tape.watch(X);
                var key = new Key(tape.watch(Array.scalar(9L)));
                Tensor h = x;
                for (int i = 0; i < 40; i++) {
                    var mask = new Watched(_ -> count.incrementAndGet());
                    h = dropout(h.mul(x).sin(), key.fold(i), mask).add(x);
                }
                gradients.add(tape.array(tape.gradient(h.sum(), x)));
                draws.add(count.get());
            }
        }
        assertThat(gradients.getLast().sameBits(gradients.getFirst())).isTrue();
        assertThat(draws.getFirst()).isEqualTo(40);
        assertThat(draws.getLast()).isGreaterThan(80);
    }

    @Test
    void whatMayRunOnceRunsOnceOnATape() {
        for (var trait : List.of(Trait.NONDETERMINISTIC, Trait.EFFECT)) {
            var count = new AtomicLong();
            var once = new Watched(b -> b.set(0, (double) count.incrementAndGet()), Set.of(trait));
            try (var tape = new Tape(Budget.bytes(16 * 512))) {
                var x = tape.watch(X);
                Tensor h = x;
                for (int i = 0; i < 30; i++) {
                    h = h.mul(x).sin();
                    if (i % 10 == 5) h = h.apply(once);
                }
                tape.array(tape.gradient(h.sum(), x));
                assertThat(tape.report().recomputed()).isPositive();
                assertThat(count.get()).isEqualTo(3);
            }
        }
    }

    private record Norm(Tensor weight, Tensor mean, Tensor steps) {}

    /** Running statistics that move with every step, under every strategy. */
    @Test
    void statisticsAreAppliedOnceHoweverMuchIsComputedAgain() {
        Fn2<Norm, Tensor, Next<Norm, Tensor>> step =
                (s, x) -> {
                    var batch = x.mean(0);
                    var mean = s.mean().mul(0.9).add(batch.detach().mul(0.1));
                    Fn<Tensor, Tensor> loss =
                            w -> {
                                Tensor h = x.sub(batch);
                                for (int i = 0; i < 4; i++) h = h.mul(w).sin();
                                return h.square().sum();
                            };
                    var both = Ebb.valueAndGrad(loss).apply(s.weight());
                    var weight = s.weight().sub(both.grad().mul(0.01));
                    return new Next<>(new Norm(weight, mean, s.steps().add(1)), both.value());
                };
        var initial =
                new Norm(
                        Array.of(0.5, 0.7, 0.9, 1.1),
                        Array.of(0.0, 0.0, 0.0, 0.0),
                        Array.scalar(0L));
        var states = new ArrayList<Norm>();
        var repeats = new ArrayList<Integer>();
        for (var budget : List.of(Budget.unlimited(), Budget.bytes(2200))) {
            var planner = Devices.planner().within(budget).on(Devices.reference());
            var example = (Array) Key.of(0).normal(Type.of(DType.F64, 16, 4));
            try (var stepper = Stepper.of(step, initial, List.of(example), planner)) {
                for (int i = 0; i < 100; i++) {
                    stepper.step((Array) Key.of(i).normal(Type.of(DType.F64, 16, 4)));
                }
                states.add(stepper.state());
                repeats.add(stepper.report().recomputed());
            }
        }
        assertThat(repeats.getFirst()).isZero();
        assertThat(repeats.getLast()).isPositive();
        for (var state : states) {
            assertThat(state.steps().item()).isEqualTo(100);
            assertThat(state.mean().sameBits((Array) states.getFirst().mean())).isTrue();
            assertThat(state.weight().sameBits((Array) states.getFirst().weight())).isTrue();
        }
    }
}
