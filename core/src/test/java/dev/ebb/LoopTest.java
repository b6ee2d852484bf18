package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.plan.Binomial;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

class LoopTest {

    private static final Array W =
            Array.of(Shape.of(3, 3), 0.1, 0.2, -0.3, 0.4, -0.5, 0.6, 0.7, 0.8, -0.9);
    private static final Array XS =
            Array.of(Shape.of(4, 3), 1.0, 2, 3, -1, 0.5, 0.25, 0, 1, 0, 2, -2, 1);

    private record Pair(Tensor w, Tensor h) {}

    private static Tensor looped(Pair p) {
        var out =
                Loop.scan(
                        p.h(),
                        (Tensor) XS,
                        (h, x) -> {
                            var next = h.reshape(1, 3).matmul(p.w()).reshape(3).add(x).tanh();
                            return new Next<>(next, next.square().sum());
                        });
        return out.carry().sum().add(out.stacked().sum());
    }

    private static Tensor unrolled(Pair p) {
        Tensor h = p.h();
        Tensor sum = h.literal(0);
        for (int i = 0; i < 4; i++) {
            h =
                    h.reshape(1, 3)
                            .matmul(p.w())
                            .reshape(3)
                            .add(XS.slice(0, i, i + 1).reshape(3))
                            .tanh();
            sum = sum.add(h.square().sum());
        }
        return h.sum().add(sum);
    }

    private static void close(Tensor a, Tensor b, double tolerance) {
        assertThat(a.toDoubles()).containsExactly(b.toDoubles(), within(tolerance));
    }

    @Test
    void aScanEqualsItsUnrolledSelfInEveryOrder() {
        var at = new Pair(W, Array.of(0.3, -0.2, 0.1));
        close(
                Ebb.compile(LoopTest::looped).apply(at),
                Ebb.compile(LoopTest::unrolled).apply(at),
                1e-15);
        var g = Ebb.compile(Ebb.grad(LoopTest::looped)).apply(at);
        var expected = Ebb.compile(Ebb.grad(LoopTest::unrolled)).apply(at);
        close(g.w(), expected.w(), 1e-13);
        close(g.h(), expected.h(), 1e-13);
        var direction = new Pair(W.square(), Array.of(1.0, 2.0, 3.0));
        var h = Ebb.hvp(LoopTest::looped).apply(at, direction);
        var wanted = Ebb.hvp(LoopTest::unrolled).apply(at, direction);
        close(h.w(), wanted.w(), 1e-12);
        close(h.h(), wanted.h(), 1e-12);
        var t = Ebb.jvp(LoopTest::looped).apply(at, direction).tangent();
        close(t, Ebb.jvp(LoopTest::unrolled).apply(at, direction).tangent(), 1e-13);
    }

    @Test
    void repeatCarriesTreesThatCross() {
        record State(Tensor a, Tensor b) {}
        Fn<State, State> f = s -> Loop.repeat(5, s, c -> new State(c.b(), c.a().add(c.b())));
        var out = Ebb.compile(f).apply(new State(Array.scalar(0.0), Array.scalar(1.0)));
        assertThat(out.a().item()).isEqualTo(5);
        assertThat(out.b().item()).isEqualTo(8);
    }

    /**
     * Where the unrolled function does the same operations in the same order, the bits are the
     * same.
     */
    @Test
    void aLoopOfItsCarryAloneHasTheBitsOfItsUnrolledSelf() {
        Fn<Tensor, Tensor> loop = x -> Loop.repeat(3, x, c -> c.square().sin().add(1)).sum();
        Fn<Tensor, Tensor> plain =
                x -> {
                    Tensor c = x;
                    for (int i = 0; i < 3; i++) c = c.square().sin().add(1);
                    return c.sum();
                };
        var at = Array.of(0.3, -1.2, 0.77, 2.5);
        var along = Array.of(1.0, -0.5, 0.25, 3.0);
        assertThat(Ebb.grad(loop).apply(at).sameBits((Array) Ebb.grad(plain).apply(at))).isTrue();
        // the second order adds the same terms in another order
        close(Ebb.hvp(loop).apply(at, along), Ebb.hvp(plain).apply(at, along), 1e-12);
    }

    /** An iteration may give the carry it began with. */
    @Test
    void aCarryIsStackedAsItWas() {
        Fn<Tensor, Tensor> f =
                x ->
                        Loop.<Tensor, Tensor, Tensor>scan(
                                        x, XS, (c, y) -> new Next<>(c.mul(y).sin(), c))
                                .stacked();
        var at = Array.of(0.3, -0.2, 0.1);
        var found = (Array) Ebb.compile(f).apply(at);
        Tensor c = at;
        for (int i = 0; i < 4; i++) {
            close(found.slice(0, i, i + 1).reshape(3), c, 0);
            c = c.mul(XS.slice(0, i, i + 1).reshape(3)).sin();
        }
        var all = (Array) Ebb.grad((Tensor x) -> f.apply(x).square().sum()).apply(at);
        for (int slots = 1; slots < 4; slots++) {
            try (var few =
                    Ebb.compile(Ebb.grad((Tensor x) -> f.apply(x).square().sum()))
                            .with(new Binomial(slots))) {
                assertThat(few.apply(at).sameBits(all)).isTrue();
            }
        }
    }

    @Test
    void nestedLoops() {
        Fn<Tensor, Tensor> f =
                x -> Loop.repeat(3, x, c -> Loop.repeat(2, c, d -> d.mul(x).sin())).sum();
        Fn<Tensor, Tensor> g =
                x -> {
                    Tensor c = x;
                    for (int i = 0; i < 6; i++) c = c.mul(x).sin();
                    return c.sum();
                };
        var at = Array.of(0.7, 1.3);
        close(Ebb.grad(f).apply(at), Ebb.grad(g).apply(at), 1e-14);
        close(
                Ebb.hvp(f).apply(at, Array.of(1.0, 1.0)),
                Ebb.hvp(g).apply(at, Array.of(1.0, 1.0)),
                1e-13);
    }

    @Test
    void aBranchIsTakenBackwardsToo() {
        Fn<Tensor, Tensor> f =
                x ->
                        Loop.cond(
                                x.sum().gt(x.literal(0)),
                                () -> x.square().sum(),
                                () -> x.sin().sum());
        close(Ebb.grad(f).apply(Array.of(1.0, 2.0)), Array.of(2.0, 4.0), 0);
        close(Ebb.grad(f).apply(Array.of(-1.0, -2.0)), Array.of(Math.cos(1), Math.cos(2)), 1e-15);
        close(
                Ebb.hvp(f).apply(Array.of(-1.0, -2.0), Array.of(1.0, 0.0)),
                Array.of(Math.sin(1), 0.0),
                1e-15);
    }

    @Test
    void checkpointsGiveTheBitsOfTheWholeStack() {
        Fn<Pair, Tensor> f =
                p -> {
                    var out =
                            Loop.scan(
                                    p.h(),
                                    (Tensor) LONG,
                                    (h, x) -> {
                                        var next =
                                                h.reshape(1, 3)
                                                        .matmul(p.w())
                                                        .reshape(3)
                                                        .add(x)
                                                        .tanh();
                                        return new Next<>(next, next.square().sum());
                                    });
                    return out.carry().sum().add(out.stacked().sum());
                };
        var at = new Pair(W, Array.of(0.3, -0.2, 0.1));
        var all = Ebb.compile(Ebb.grad(f)).apply(at);
        long before = 0;
        for (int slots : new int[] {1, 2, 3, 5, 10, 39}) {
            var compiled = Ebb.compile(Ebb.grad(f)).with(new Binomial(slots));
            var g = compiled.apply(at);
            assertThat(g.w().sameBits((Array) all.w())).isTrue();
            assertThat(g.h().sameBits((Array) all.h())).isTrue();
            assertThat(compiled.report().promisedBytes()).isGreaterThanOrEqualTo(before);
            before = compiled.report().promisedBytes();
        }
    }

    private static final Array LONG =
            Array.of(
                    Shape.of(40, 3),
                    java.util.stream.IntStream.range(0, 120)
                            .mapToDouble(i -> Math.sin(i))
                            .toArray());

    /** Newton's method for a square root, until it is near: the length depends on the argument. */
    private static Tensor root(Tensor a) {
        return Loop.whileTrue(
                        100,
                        a,
                        x -> x.square().sub(a).square().sum().gt(a.literal(1e-20)),
                        x -> x.add(a.div(x)).mul(0.5))
                .sum();
    }

    @Test
    void aWhileLoopIsDifferentiatedAsLongAsItRan() {
        for (double a : new double[] {1, 2, 50, 1e4}) {
            var at = Array.of(a, a / 2);
            var g = (Array) Ebb.compile(Ebb.grad(LoopTest::root)).apply(at);
            assertThat(g.data().get(0)).isCloseTo(0.5 / Math.sqrt(a), within(1e-9));
            for (int slots : new int[] {1, 2, 3, 7}) {
                var few =
                        (Array)
                                Ebb.compile(Ebb.grad(LoopTest::root))
                                        .with(new Binomial(slots))
                                        .apply(at);
                assertThat(few.sameBits(g)).isTrue();
            }
            var h = (Array) Ebb.hvp(LoopTest::root).apply(at, Array.of(1.0, 0.0));
            assertThat(h.data().get(0)).isCloseTo(-0.25 * Math.pow(a, -1.5), within(1e-8));
        }
    }

    @Test
    void aLoopWithoutEndIsStopped() {
        Fn<Tensor, Tensor> f = x -> Loop.whileTrue(50, x, y -> y.gt(y.literal(-1)), y -> y.add(1));
        assertThatThrownBy(() -> Ebb.compile(f).apply(Array.scalar(1.0)))
                .hasMessageContaining("did not end within its limit of 50");
    }

    @Test
    void aCarryThatChangesIsNamed() {
        Fn<Tensor, Tensor> f = x -> Loop.repeat(3, x, c -> c.cast(DType.F32));
        assertThatThrownBy(() -> Ebb.compile(f).apply(Array.of(1.0)))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("f64[1] became f32[1]");
    }

    private record Picked(Tensor all, Tensor first) {}

    /** A carry that is the first element of what another carry is computed from. */
    @Test
    void aCarryMayBeTheBeginningOfAnother() {
        Fn<Tensor, Picked> f =
                x ->
                        Loop.whileTrue(
                                100,
                                new Picked(x, x.at(0, 0)),
                                c -> c.first.lt(5),
                                c -> {
                                    var next = c.all.add(1);
                                    var first = next.at(0, 0);
                                    var kept = Tensors.where(first.lt(0), c.all, next);
                                    return new Picked(kept, first);
                                });
        var last = Ebb.compile(f).apply(Array.of(2.0, 3.5));
        assertThat(last.all.toDoubles()).containsExactly(5, 6.5);
        assertThat(last.first.item()).isEqualTo(5);
    }
}
