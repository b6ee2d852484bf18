package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.ir.ShapeException;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Products with the Hessian through every kind of control flow, and what control flow refuses. */
class SecondOrderTest {
    private static final Array AT = Array.of(0.6, 1.2, 0.9);
    private static final Array ALONG = Array.of(1.0, -2.0, 0.5);

    private static Tensor step(Tensor c, Tensor x) {
        return c.mul(x).sin().add(x);
    }

    private static Tensor unrolled(Tensor x, int rounds) {
        Tensor c = x;
        for (int i = 0; i < rounds; i++) c = step(c, x);
        return c.square().sum();
    }

    private static Array shifted(Array a, double by) {
        return (Array) a.add(ALONG.mul(by));
    }

    /** Against differences of first derivatives, and against the unrolled function. */
    private static void check(Fn<Tensor, Tensor> f, int rounds) {
        double h = 1e-5;
        var up = (Array) Ebb.grad(f).apply(shifted(AT, h));
        var down = (Array) Ebb.grad(f).apply(shifted(AT, -h));
        var hvp = (Array) Ebb.hvp(f).apply(AT, ALONG);
        assertThat(hvp.toDoubles())
                .containsExactly(up.sub(down).div(2 * h).toDoubles(), within(1e-5));
        var plain = (Array) Ebb.hvp((Tensor x) -> unrolled(x, rounds)).apply(AT, ALONG);
        assertThat(hvp.toDoubles()).containsExactly(plain.toDoubles(), within(1e-10));
        var gradient = (Array) Ebb.grad(f).apply(AT);
        var plainGradient = (Array) Ebb.grad((Tensor x) -> unrolled(x, rounds)).apply(AT);
        assertThat(gradient.toDoubles()).containsExactly(plainGradient.toDoubles(), within(1e-12));
    }

    @Test
    void throughAScan() {
        check(x -> Loop.repeat(5, x, c -> step(c, x)).square().sum(), 5);
    }

    @Test
    void throughAWhileLoop() {
        record Carry(Tensor c, Tensor count) {}
        check(
                x ->
                        Loop.whileTrue(
                                        50,
                                        new Carry(x, x.at(0, 0).mul(0).cast(DType.I64)),
                                        k -> k.count().lt(5),
                                        k -> new Carry(step(k.c(), x), k.count().add(1)))
                                .c()
                                .square()
                                .sum(),
                5);
    }

    @Test
    void throughABranch() {
        check(
                x -> Loop.cond(x.sum().gt(x.literal(0)), () -> unrolled(x, 3), () -> x.exp().sum()),
                3);
    }

    @Test
    void throughALoopInABranchInALoop() {
        check(
                x ->
                        Loop.repeat(
                                        2,
                                        x,
                                        c ->
                                                Loop.cond(
                                                        c.sum().gt(c.literal(-100)),
                                                        () -> Loop.repeat(3, c, d -> step(d, x)),
                                                        () -> c))
                                .square()
                                .sum(),
                6);
    }

    /** The same ops in the same order: the same bits, whatever had to be computed again. */
    @Test
    void throughATape() {
        var bits = new ArrayList<Array>();
        for (long room : new long[] {Long.MAX_VALUE, 32 * 64, 24 * 64}) {
            try (var tape = new Tape(Budget.bytes(room))) {
                var x = tape.watch(AT);
                Tensor c = x;
                for (int i = 0; c.sum().item() < 1e9 && i < 5; i++) c = step(c, x);
                var g = tape.gradient(c.square().sum(), x);
                bits.add(tape.array(tape.gradient(g.mul(ALONG).sum(), x)));
            }
        }
        var plain = (Array) Ebb.hvp((Tensor x) -> unrolled(x, 5)).apply(AT, ALONG);
        assertThat(bits.getFirst().toDoubles()).containsExactly(plain.toDoubles(), within(1e-11));
        assertThat(bits.get(1).sameBits(bits.getFirst())).isTrue();
        assertThat(bits.get(2).sameBits(bits.getFirst())).isTrue();
    }

    @Test
    void aValueOfAnotherFunctionIsRefused() {
        var leaked = new ArrayList<Tensor>();
        Ebb.compile(
                        (Tensor x) -> {
                            leaked.add(x.sin());
                            return x;
                        })
                .apply(AT);
        Fn<Tensor, Tensor> f = x -> Loop.repeat(3, x, c -> c.add(leaked.getFirst()));
        assertThatThrownBy(() -> Ebb.compile(f).apply(AT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("belongs to another trace or tape, which has already");
        assertThatThrownBy(() -> leaked.getFirst().cos())
                .hasMessageContaining("function that has already returned");
    }

    @Test
    void carriesKeepTheirShape() {
        Fn<Tensor, Tensor> shape = x -> Loop.repeat(3, x, c -> c.sum(0));
        assertThatThrownBy(() -> Ebb.compile(shape).apply(AT))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("f64[3] became f64[]");
        Fn<Tensor, Tensor> asked = x -> Loop.whileTrue(9, x, c -> c.gt(0), c -> c);
        assertThatThrownBy(() -> Ebb.compile(asked).apply(AT))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("one truth value");
        Fn<Tensor, List<Tensor>> built =
                x -> Loop.repeat(2, List.of(x), c -> List.of(c.getFirst(), c.getFirst()));
        assertThatThrownBy(() -> Ebb.compile(built).apply(AT))
                .hasMessageContaining("of the same structure as the one it takes");
    }
}
