package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Functions along an axis: the same bits as slice by slice, whatever they are made of. */
class VmapTest {
    private static final int SLICES = 4;

    private static Array noise(int seed, int... dims) {
        var type = Type.of(DType.F64, dims);
        return Array.of(type, new Random(seed).doubles(type.size(), -1, 1).toArray());
    }

    private static Tensor run(Fn<Tensor, Tensor> f, Tensor x) {
        try (var compiled = Ebb.compile(f)) {
            return compiled.apply(x);
        }
    }

    private static Tensor loop(Fn<Tensor, Tensor> f, Tensor x) {
        var slices = new ArrayList<Tensor>();
        try (var compiled = Ebb.compile(f)) {
            for (int i = 0; i < x.dim(0); i++) slices.add(compiled.apply(x.at(0, i)));
        }
        return Tensors.stack(slices, 0);
    }

    private static void same(Fn<Tensor, Tensor> f, Tensor x) {
        bits(run(Ebb.vmap(f), x), loop(f, x));
    }

    private static void bits(Tensor found, Tensor expected) {
        assertThat(found.sameBits(expected)).as("%s where %s", found, expected).isTrue();
    }

    /** The function, its gradient, its Hessian times itself; gradient outside and inside. */
    private static void everyOrder(Fn<Tensor, Tensor> f, Tensor x) {
        Fn<Tensor, Tensor> scalar = t -> f.apply(t).square().sum();
        same(f, x);
        same(Ebb.grad(scalar), x);
        same(t -> Ebb.hvp(scalar).apply(t, t), x);
        same(t -> Ebb.jvp(f).apply(t, t.sin()).tangent(), x);
        Fn<Tensor, Tensor> outside = Ebb.grad((Tensor t) -> Ebb.vmap(scalar).apply(t).sum());
        bits(run(outside, x), loop(Ebb.grad(scalar), x));
    }

    @Test
    void anAxisOfItsOwnForEachArgument() {
        var x = noise(11, 3, SLICES);
        var y = noise(12, 2, 3, SLICES);
        Fn2<Tensor, Tensor, Tensor> f = (a, b) -> b.matmul(a.sin());
        Fn2<Tensor, Tensor, Tensor> slope =
                (a, b) -> Ebb.grad((Tensor t) -> f.apply(t, b).square().sum()).apply(a);
        for (var g : List.of(f, slope)) {
            var slices = new ArrayList<Tensor>();
            for (int i = 0; i < SLICES; i++)
                slices.add(Ebb.compile(g).apply(x.at(1, i), y.at(2, i)));
            var expected = Tensors.stack(slices, 0);
            bits(Ebb.compile(Ebb.vmap(g, 1, -1)).apply(x, y), expected);
            // of three arguments, the last of which has its slices in front
            var z = noise(13, SLICES, 3);
            Fn3<Tensor, Tensor, Tensor, Tensor> h = (a, b, c) -> g.apply(a.add(c), b);
            var sums = new ArrayList<Tensor>();
            for (int i = 0; i < SLICES; i++)
                sums.add(Ebb.compile(h).apply(x.at(1, i), y.at(2, i), z.at(0, i)));
            bits(Ebb.compile(Ebb.vmap(h, 1, 2, 0)).apply(x, y, z), Tensors.stack(sums, 0));
        }
        assertThatThrownBy(() -> Ebb.vmap(f, 0, -1).apply(x, y))
                .hasMessageContaining("3 slices, another 4");
    }

    @Test
    void loopsOfFixedLength() {
        var w = noise(1, 3, 3);
        everyOrder(x -> Loop.repeat(5, x, c -> c.matmul(w).tanh()), noise(2, SLICES, 3));
        everyOrder(
                x ->
                        Loop.scan(
                                        Tensors.zeros(DType.F64, 2),
                                        x,
                                        (Tensor c, Tensor s) ->
                                                new Next<>(c.add(s).sin(), c.mul(s)))
                                .stacked(),
                noise(3, SLICES, 5, 2));
    }

    @Test
    void loopsThatEndEachAtItsTime() {
        everyOrder(
                x -> Loop.whileTrue(50, x, c -> c.square().sum().gt(0.1), c -> c.mul(0.7).sin()),
                noise(4, SLICES, 3).mul(Array.of(Shape.of(SLICES, 1), 0.1, 1.0, 5.0, 2.0)));
    }

    @Test
    void loopsThatEndTogether() {
        record State(Tensor x, Tensor left) {}
        everyOrder(
                x ->
                        Loop.whileTrue(
                                        9,
                                        new State(x, Tensors.fill(Type.of(DType.I64), 4)),
                                        s -> s.left().gt(0),
                                        s -> new State(s.x().sin(), s.left().sub(1)))
                                .x(),
                noise(5, SLICES, 3));
    }

    @Test
    void branchesTakenByEach() {
        everyOrder(
                x -> Loop.cond(x.sum().gt(0), () -> x.mul(3), () -> x.sub(1).exp()),
                noise(6, SLICES, 3));
        // a branch that is not taken may be anything
        same(
                Ebb.grad(x -> Loop.cond(x.sum().gt(0), () -> x.sqrt().sum(), () -> x.sum())),
                Array.of(new double[][] {{4, 9}, {-4, -9}}));
    }

    @Test
    void branchesTakenTogether() {
        var day = Array.of(Shape.scalar(), 1.0).gt(0);
        everyOrder(x -> Loop.cond(day, x::sin, x::cos), noise(7, SLICES, 3));
    }

    @Test
    void draws() {
        var keys = Array.of(Shape.of(3), 11L, 12L, 13L);
        same(k -> new Key(k).normal(Type.of(DType.F64, 5)), keys);
        same(k -> new Key(k).fold(7).uniform(Type.of(DType.F32, 2, 3)), keys);
        same(k -> new Key(k).bernoulli(Shape.of(9), 0.5), keys);
        same(k -> new Key(k).permutation(6), keys);
        // one key for all: all draw the same numbers
        same(x -> x.dropout(0.5, Key.of(5)), noise(8, SLICES, 6));
    }

    @Test
    void cellsRegionsAndNames() {
        everyOrder(
                x -> {
                    var cell = new Cell(x);
                    cell.assign(0, 1, 3, x.slice(0, 0, 2).sin());
                    return Ebb.region("inner", () -> Ebb.name(cell.get().mul(x), "product"));
                },
                noise(9, SLICES, 4));
    }

    @Test
    void anyAxis() {
        var x = noise(10, 3, 5, 2);
        Fn<Tensor, Tensor> f = t -> t.sum(List.of(0), false).exp();
        var last = run(Ebb.vmap(f, -1), x);
        bits(last.transpose(), loop(f, x.moveAxis(2, 0)));
        var middle = run(Ebb.vmap((Tensor t) -> t.exp(), 1), x);
        assertThat(middle.shape()).isEqualTo(x.shape());
    }

    @Test
    void someArgumentsAndTrees() {
        record Layer(Tensor weight, Tensor bias) {}
        var layers = new Layer(noise(11, SLICES, 3, 3), noise(12, SLICES, 3));
        var x = noise(13, 3);
        Fn2<Layer, Tensor, Tensor> f = (l, t) -> t.matmul(l.weight()).add(l.bias()).tanh();
        // an ensemble: models differ, the input is the same
        try (var all = Ebb.compile(Ebb.vmap(f, By.first()));
                var one = Ebb.compile(f)) {
            var found = all.apply(layers, x);
            for (int i = 0; i < SLICES; i++) {
                var alone = new Layer(layers.weight().at(0, i), layers.bias().at(0, i));
                bits(found.at(0, i), one.apply(alone, x));
            }
        }
        assertThatThrownBy(() -> Ebb.vmap(f).apply(layers, x)).hasMessageContaining("slices");
    }

    @Test
    void sharedOperandsGetTheSumOfAllSlices() {
        var x = noise(14, SLICES, 3);
        var w = noise(15, 3, 2);
        Fn2<Tensor, Tensor, Tensor> f = (m, t) -> t.matmul(m).sin().sum();
        Fn2<Tensor, Tensor, Tensor> all = (m, t) -> Ebb.vmap(f, By.second()).apply(m, t).sum();
        try (var gradient = Ebb.compile(Ebb.grad(all));
                var each = Ebb.compile(Ebb.vmap(Ebb.grad(f), By.second()))) {
            bits(gradient.apply(w, x), each.apply(w, x).sum(List.of(0), false));
        }
    }

    @Test
    void noSlices() {
        assertThat(run(Ebb.vmap((Tensor x) -> x.exp().sum()), noise(1, 0, 3)).shape())
                .isEqualTo(Shape.of(0));
    }

    @Test
    void jacobiansOfTreesByRowsAndByColumns() {
        record Pair(Tensor a, Tensor b) {}
        var at = new Pair(noise(16, 2), noise(17, 2, 3));
        Fn<Pair, Tensor> wide = p -> p.a().unsqueeze(1).mul(p.b().sin()).sum(List.of(1), false);
        Fn<Pair, Tensor> tall =
                p -> Tensors.concat(List.of(p.b(), p.b().exp()), 0).mul(p.a().sum());
        for (var f : List.of(wide, tall)) {
            try (var all = Ebb.compile(Ebb.jacobian(f));
                    var row = Ebb.compile(Ebb.vjp(f))) {
                var found = all.apply(at);
                var y = f.apply(at);
                int m = (int) y.type().size();
                for (int i = 0; i < m; i++) {
                    var data = new double[m];
                    data[i] = 1;
                    var expected = row.apply(at, Array.of(y.type(), data)).cotangent();
                    assertThat(found.a().reshape(m, -1).at(0, i).toDoubles())
                            .usingComparatorWithPrecision(1e-14)
                            .containsExactly(expected.a().toDoubles());
                    assertThat(found.b().reshape(m, -1).at(0, i).toDoubles())
                            .usingComparatorWithPrecision(1e-14)
                            .containsExactly(expected.b().toDoubles());
                }
            }
        }
        var blocks = Ebb.hessianBlocks((Pair p) -> wide.apply(p).sum()).apply(at);
        assertThat(blocks.getFirst().b().shape()).isEqualTo(Shape.of(2, 2, 3));
        assertThat(blocks.getLast().b().shape()).isEqualTo(Shape.of(2, 3, 2, 3));
    }

    @Test
    void aJacobianComesInChunksThatFit() {
        var w = noise(18, 40, 400).cast(DType.F32);
        Fn<Tensor, Tensor> f = x -> x.matmul(w).sin().exp().matmul(w.transpose());
        var x = noise(19, 40).cast(DType.F32);
        try (var all = Ebb.compile(Ebb.jacobian(f))) {
            var expected = all.apply(x);
            long least = all.plan(x).leastBytes();
            try (var few = Ebb.compile(Ebb.jacobian(f)).within(Budget.bytes(least * 7 / 10))) {
                bits(few.apply(x), expected);
                assertThat(few.report().measuredBytes())
                        .isEqualTo(few.report().promisedBytes())
                        .isLessThanOrEqualTo(least * 7 / 10);
            }
        }
    }
}
