package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

class TapeTest {
    private static Array random(long seed, int... dims) {
        return (Array) Key.of(seed).normal(Type.of(DType.F64, dims));
    }

    @Test
    void opsRunAtOnceAndNumbersDecide() {
        try (var tape = new Tape(Budget.unlimited())) {
            var x = tape.watch(Array.of(3.0, 4.0));
            Tensor y = x;
            int rounds = 0;
            while (y.square().sum().item() > 1) {
                y = y.mul(0.5);
                rounds++;
            }
            assertThat(rounds).isEqualTo(3);
            assertThat(tape.array(tape.gradient(y.sum(), x)).toDoubles())
                    .containsExactly(0.125, 0.125);
        }
    }

    @Test
    void gradientsHaveTheStructureOfWhatTheyAreBy() {
        record Params(Tensor w, List<Tensor> rest) {}
        try (var tape = new Tape(Budget.unlimited())) {
            var p = tape.watch(new Params(Array.of(2.0), List.of(Array.of(3.0), Array.of(5.0))));
            var loss = p.w().mul(p.rest().getFirst()).sum();
            var g = tape.arrays(tape.gradient(loss, p));
            assertThat(g.w().item()).isEqualTo(3);
            assertThat(g.rest().getFirst().item()).isEqualTo(2);
            assertThat(g.rest().getLast().item()).isEqualTo(0);
        }
    }

    @Test
    void aGradientIsOnTheTapeToo() {
        for (long room : new long[] {Long.MAX_VALUE, 96 * 64, 20 * 64}) {
            try (var tape = new Tape(Budget.bytes(room))) {
                var x = tape.watch(Array.of(0.3, 0.8));
                Tensor h = x;
                for (int i = 0; i < 5; i++) h = h.mul(x).sin();
                var g = tape.gradient(h.sum(), x);
                var hvp = tape.gradient(g.mul(Array.of(1.0, 2.0)).sum(), x);
                Fn<Tensor, Tensor> f =
                        t -> {
                            Tensor c = t;
                            for (int i = 0; i < 5; i++) c = c.mul(t).sin();
                            return c.sum();
                        };
                var expected = (Array) Ebb.hvp(f).apply(Array.of(0.3, 0.8), Array.of(1.0, 2.0));
                assertThat(tape.array(hvp).toDoubles())
                        .containsExactly(expected.toDoubles(), within(1e-13));
                if (room < 64 * 64) continue;
                var third = tape.gradient(hvp.sum(), x);
                assertThat(tape.array(third).toDoubles()).doesNotContain(0);
            }
        }
    }

    @Test
    void loopsBranchesAndDerivativesOfFunctionsGoOntoATape() {
        try (var tape = new Tape(Budget.unlimited())) {
            var x = tape.watch(Array.of(0.3, 0.8));
            var looped = Loop.repeat(4, x, c -> c.mul(x).sin());
            var branched =
                    Loop.cond(looped.sum().gt(looped.literal(0)), looped::square, looped::exp);
            var inner = Ebb.grad((Tensor t) -> t.mul(x).square().sum()).apply(branched);
            var g = tape.array(tape.gradient(inner.sum(), x));
            Fn<Tensor, Tensor> f =
                    v -> {
                        Tensor c = v;
                        for (int i = 0; i < 4; i++) c = c.mul(v).sin();
                        return c.square().mul(v).mul(v).mul(2).sum();
                    };
            assertThat(g.toDoubles())
                    .containsExactly(
                            Ebb.grad(f).apply(Array.of(0.3, 0.8)).toDoubles(), within(1e-13));
        }
    }

    @Test
    void whatIsMadeFromNothingIsRecordedInsideRun() {
        try (var tape = new Tape(Budget.kibibytes(4))) {
            var x = tape.watch(Array.of(1.0, 2.0));
            var y = tape.run(() -> Tensors.ones(DType.F64, Shape.of(2)).mul(3).add(x).sum());
            assertThat(y.item()).isEqualTo(9);
            assertThat(Tensors.ones(DType.F64, Shape.of(2)).mul(x).sum().item()).isEqualTo(3);
        }
    }

    /** A tree-LSTM (child-sum) over a random tree, by recursion. */
    private static final class TreeLstm {
        private final Tensor w;
        private final Tensor u;
        private final Random dice;

        TreeLstm(Tensor w, Tensor u, long seed) {
            this.w = w;
            this.u = u;
            this.dice = new Random(seed);
        }

        record State(Tensor h, Tensor c) {}

        State at(int depth) {
            var x = random(dice.nextInt(1 << 20), 1, 4);
            var zero = Array.of(Shape.of(1, 4), 0.0, 0, 0, 0);
            var left = depth > 0 ? at(depth - 1 - dice.nextInt(2)) : new State(zero, zero);
            var right = depth > 0 ? at(depth - 1 - dice.nextInt(2)) : new State(zero, zero);
            var z = x.matmul(w).add(left.h.add(right.h).matmul(u));
            var i = z.slice(1, 0, 4).sigmoid();
            var f = z.slice(1, 4, 8).sigmoid();
            var o = z.slice(1, 8, 12).sigmoid();
            var c = i.mul(z.slice(1, 12, 16).tanh()).add(f.mul(left.c.add(right.c)));
            return new State(o.mul(c.tanh()), c);
        }
    }

    private static Array treeLstm(long seed, Budget budget, long[] peaks) {
        try (var tape = new Tape(budget)) {
            var w = tape.watch(random(1, 4, 16));
            var u = tape.watch(random(2, 4, 16));
            var loss = new TreeLstm(w, u, seed).at(5).h().square().sum();
            peaks[0] = tape.report().measuredBytes();
            var g = tape.gradient(loss, List.of(w, u));
            peaks[1] = tape.report().measuredBytes();
            return (Array) tape.array(g.getFirst()).add(tape.array(g.getLast()));
        }
    }

    @Test
    void aTreeLstmInHalfAndAQuarterOfItsMemory() {
        for (long seed = 0; seed < 3; seed++) {
            var peaks = new long[2];
            var all = treeLstm(seed, Budget.unlimited(), peaks);
            long forward = peaks[0];
            for (int share : new int[] {2, 4}) {
                var g = treeLstm(seed, Budget.bytes(forward / share), peaks);
                assertThat(g.sameBits(all)).isTrue();
                assertThat(peaks[1]).isLessThanOrEqualTo(forward / share);
            }
        }
    }

    private static List<Array> newton(Budget budget, long[] peaks) {
        try (var tape = new Tape(budget)) {
            var a = tape.watch(random(3, 6, 6));
            var one = tape.watch(Tensors.eye(DType.F64, 6));
            var spd = a.matmul(a.transpose()).add(one);
            Tensor x = spd.div(spd.square().sum().item());
            int rounds = 0;
            while (x.matmul(spd).sub(one).square().sum().item() > 1e-20) {
                x = x.mul(2).sub(x.matmul(spd).matmul(x));
                rounds++;
            }
            peaks[0] = tape.report().measuredBytes();
            var g = tape.array(tape.gradient(x.square().sum(), a));
            peaks[1] = tape.report().measuredBytes();
            return List.of(g, Array.scalar((double) rounds));
        }
    }

    @Test
    void aLoopThatEndsWhenItsDataSaySo() {
        var peaks = new long[2];
        var all = newton(Budget.unlimited(), peaks);
        long forward = peaks[0];
        assertThat(all.getLast().item()).isBetween(5.0, 100.0);
        for (int share : new int[] {2, 4}) {
            var g = newton(Budget.bytes(forward / share), peaks);
            assertThat(g.getFirst().sameBits(all.getFirst())).isTrue();
            assertThat(g.getLast().sameBits(all.getLast())).isTrue();
            assertThat(peaks[1]).isLessThanOrEqualTo(forward / share);
        }
    }

    @Test
    void anOpThatDoesNotFitIsRefusedWithTheLeastBudget() {
        Function<Budget, Double> f =
                budget -> {
                    try (var tape = new Tape(budget)) {
                        return tape.watch(Array.of(1.0, 2.0)).exp().sum().item();
                    }
                };
        var seen = new ArrayList<Long>();
        assertThatThrownBy(() -> f.apply(Budget.bytes(64)))
                .isInstanceOfSatisfying(OverBudgetException.class, e -> seen.add(e.leastBytes()))
                .hasMessageContaining("exp needs 128 bytes")
                .hasMessageContaining("recorded so far need 192 bytes");
        assertThatThrownBy(() -> f.apply(Budget.bytes(191)))
                .isInstanceOfSatisfying(OverBudgetException.class, e -> seen.add(e.leastBytes()));
        assertThat(seen).containsExactly(192L, 192L);
        assertThat(f.apply(Budget.bytes(192))).isCloseTo(Math.E + Math.exp(2), within(1e-12));
        assertThatThrownBy(() -> new Tape(Budget.share(0.5))).hasMessageContaining("in bytes");
    }

    @Test
    void whatCannotBeDoneIsRefusedSoon() {
        try (var tape = new Tape(Budget.bytes(32 * 64))) {
            var x = tape.watch(Array.of(0.3, 0.8));
            Tensor h = x;
            for (int i = 0; i < 5; i++) h = h.mul(x).sin();
            var first = tape.gradient(h.sum(), x);
            var second = tape.gradient(first.sum(), x);
            var third = tape.gradient(second.sum(), x);
            assertThatThrownBy(() -> tape.array(third))
                    .isInstanceOfSatisfying(
                            OverBudgetException.class,
                            e -> assertThat(e.leastBytes()).isGreaterThan(32 * 64));
            assertThat(tape.array(h).toDoubles()).doesNotContain(0);
        }
    }

    @Test
    void anOpThatFailsLeavesTheTapeAsItWas() {
        try (var tape = new Tape(Budget.bytes(12 * 64))) {
            var x = tape.watch(Array.of(0.3, 0.8));
            var y = x.sin();
            assertThatThrownBy(() -> y.indexSelect(0, Array.of(5))).hasMessageContaining("5");
            var z = y.mul(x).sum();
            assertThat(z.item())
                    .isCloseTo(0.3 * Math.sin(0.3) + 0.8 * Math.sin(0.8), within(1e-15));
            assertThat(tape.array(tape.gradient(z, x)).toDoubles()).doesNotContain(0);
        }
    }

    @Test
    void tensorsDoNotOutliveTheirTape() {
        var tape = new Tape(Budget.unlimited());
        var x = tape.watch(Array.of(1.0));
        tape.close();
        tape.close();
        assertThatThrownBy(x::sin).hasMessageContaining("tape that is closed");
        assertThatThrownBy(() -> x.item()).hasMessageContaining("closed");
        assertThatThrownBy(() -> tape.watch(Array.of(1.0))).hasMessageContaining("closed");
    }

    @Test
    void tapesDoNotMix() {
        try (var one = new Tape(Budget.unlimited());
                var two = new Tape(Budget.unlimited())) {
            var x = one.watch(Array.of(1.0));
            var y = two.watch(Array.of(2.0));
            assertThatThrownBy(() -> x.add(y)).hasMessageContaining("another trace or tape");
            assertThatThrownBy(() -> one.run(() -> Loop.repeat(2, x, c -> c.add(y))))
                    .hasMessageContaining("another trace or tape");
            Fn<Tensor, Tensor> f = t -> t.add(x);
            assertThatThrownBy(() -> Ebb.compile(f).apply(Array.of(1.0)))
                    .hasMessageContaining("tape");
        }
    }

    /** What a loop keeps on a tape follows from the tape's budget, and changes no bit. */
    @Test
    void aLoopOnATapeKeepsWhatTheBudgetLeaves() {
        int width = 64;
        long state = width * Double.BYTES;
        var x = (Array) Key.of(3).uniform(Type.of(DType.F64, width));
        var gradients = new ArrayList<Array>();
        var peaks = new ArrayList<Long>();
        for (long room : new long[] {Long.MAX_VALUE, 200 * state, 40 * state, 16 * state}) {
            try (var tape = new Tape(Budget.bytes(room))) {
                var w = tape.watch(x);
                var y = Loop.repeat(400, w.sin(), c -> c.mul(w).sin().add(c.mul(0.5)));
                var z =
                        Loop.whileTrue(
                                1000,
                                y,
                                c -> c.sum().gt(1),
                                c -> c.mul(0.9).add(c.sin().mul(-0.1)));
                gradients.add(tape.array(tape.gradient(z.square().sum(), w)));
                peaks.add(tape.report().measuredBytes());
                assertThat(tape.report().measuredBytes()).isLessThanOrEqualTo(room);
            }
        }
        for (var g : gradients) assertThat(g.sameBits(gradients.getFirst())).isTrue();
        assertThat(peaks.getFirst()).isGreaterThan(400 * state);
        assertThatThrownBy(
                        () -> {
                            try (var tape = new Tape(Budget.bytes(6 * state))) {
                                var w = tape.watch(x);
                                var y = Loop.repeat(400, w, c -> c.mul(w).sin());
                                tape.gradient(y.sum(), w);
                            }
                        })
                .isInstanceOf(OverBudgetException.class)
                .hasMessageContaining("scan(400, reverse) needs");
    }

    /** The second derivative asks for the stacks that the first went without. */
    @Test
    void aLoopOnATapeIsDifferentiatedTwice() {
        Fn<Tensor, Tensor> f = v -> Loop.repeat(6, v, c -> c.mul(v).sin()).sum();
        var x = Array.of(0.7, 1.3);
        var along = Array.of(1.0, -2.0);
        try (var tape = new Tape(Budget.unlimited())) {
            var w = tape.watch(x);
            var g = tape.gradient(f.apply(w), w);
            var h = tape.array(tape.gradient(g.mul(along).sum(), w));
            assertThat(h.toDoubles())
                    .containsExactly(Ebb.hvp(f).apply(x, along).toDoubles(), within(1e-12));
        }
    }
}
