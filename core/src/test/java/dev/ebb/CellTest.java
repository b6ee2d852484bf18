package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.plan.Binomial;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;

class CellTest {
    private static final Array X = Array.of(0.3, -0.5, 0.8, 1.1);

    /** Each derivative must see the version that its own op read. */
    private static Tensor written(Tensor x) {
        var c = new Cell(x);
        c.update(v -> v.mul(v));
        var early = c.get().sin();
        c.update(Tensor::exp);
        c.assign(0, 1, 3, x.slice(0, 2, 4));
        c.assignWhere(x.lt(x.literal(0)), x.literal(2).mul(x));
        c.assign(0, 0, 1, x.sum());
        return c.get().mul(early).sum();
    }

    private static double plain(double[] x) {
        var c = Arrays.stream(x).map(v -> v * v).toArray();
        var early = Arrays.stream(c).map(Math::sin).toArray();
        c = Arrays.stream(c).map(Math::exp).toArray();
        c[1] = x[2];
        c[2] = x[3];
        for (int i = 0; i < 4; i++) if (x[i] < 0) c[i] = 2 * x[i];
        c[0] = Arrays.stream(x).sum();
        double sum = 0;
        for (int i = 0; i < 4; i++) sum += c[i] * early[i];
        return sum;
    }

    private static void check(Array gradient) {
        for (int i = 0; i < 4; i++) {
            var up = X.toDoubles();
            var down = X.toDoubles();
            up[i] += 1e-6;
            down[i] -= 1e-6;
            assertThat(gradient.data().get(i))
                    .isCloseTo((plain(up) - plain(down)) / 2e-6, within(1e-8));
        }
    }

    @Test
    void everyRuleSeesTheVersionItUsed() {
        assertThat(written(X).item()).isCloseTo(plain(X.toDoubles()), within(1e-14));
        check((Array) Ebb.grad(CellTest::written).apply(X));
        try (var tape = new Tape(Budget.bytes(40 * 64))) {
            var x = tape.watch(X);
            check(tape.array(tape.gradient(written(x), x)));
        }
    }

    @Test
    void aCellIsTheCarryOfALoop() {
        Fn<Tensor, Tensor> f =
                x -> {
                    var c = new Cell(x);
                    c.set(
                            Loop.repeat(
                                    3,
                                    c.get(),
                                    carry -> {
                                        var inner = new Cell(carry);
                                        inner.update(Tensor::sin);
                                        inner.assign(0, 0, 1, x.slice(0, 3, 4));
                                        return inner.get();
                                    }));
                    return c.get().sum();
                };
        Fn<Tensor, Tensor> unrolled =
                x -> {
                    var c = new Cell(x);
                    for (int i = 0; i < 3; i++) {
                        c.update(Tensor::sin);
                        c.assign(0, 0, 1, x.slice(0, 3, 4));
                    }
                    return c.get().sum();
                };
        assertThat(Ebb.grad(f).apply(X).toDoubles())
                .containsExactly(Ebb.grad(unrolled).apply(X).toDoubles(), within(1e-15));
    }

    @Test
    void aWriteThatWouldBeLostIsRefused() {
        Fn<Tensor, Tensor> f =
                x -> {
                    var c = new Cell(x);
                    return Loop.repeat(
                            3,
                            x,
                            carry -> {
                                c.update(v -> v.mul(carry));
                                return carry;
                            });
                };
        assertThatThrownBy(() -> Ebb.compile(f).apply(X))
                .hasMessageContaining("pass its value to the body");
        var outer = new Cell(X);
        Fn<Tensor, Tensor> g =
                x -> {
                    outer.set(x);
                    return x;
                };
        assertThatThrownBy(() -> Ebb.compile(g).apply(X)).hasMessageContaining("would be lost");
        assertThatThrownBy(() -> outer.set(Array.of(1.0)))
                .hasMessageContaining("cannot hold f64[1]");
        assertThatThrownBy(() -> outer.assign(0, 3, 5, X)).hasMessageContaining("[3, 5)");
    }

    @Test
    void aCellIsNotReadAfterItsTapeOrTraceClosed() {
        var kept = new ArrayList<Cell>();
        try (var tape = new Tape(Budget.unlimited())) {
            kept.add(new Cell(tape.watch(X)));
            kept.getFirst().update(Tensor::sin);
        }
        Ebb.compile(
                        (Tensor x) -> {
                            kept.add(new Cell(x));
                            return x.sin();
                        })
                .apply(X);
        for (var cell : kept) {
            assertThatThrownBy(cell::get)
                    .hasMessageContaining("has returned or to a tape that is closed");
            assertThatThrownBy(() -> cell.set(X)).hasMessageContaining("closed");
        }
    }

    @Test
    void deadVersionsAreUpdatedInPlace() {
        int n = 1 << 16;
        var x = (Array) Tensors.fill(new Type(DType.F64, Shape.of(256, n / 256)), 0.5);
        Fn<Tensor, Tensor> f =
                v -> {
                    var c = new Cell(v);
                    c.update(Tensor::sin);
                    c.update(t -> t.cumsum(0));
                    c.update(Tensor::cos);
                    c.update(t -> t.cumsum(1));
                    c.update(Tensor::exp);
                    return c.get();
                };
        try (var compiled = Ebb.compile(f)) {
            compiled.apply(x);
            var report = compiled.report();
            assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
            assertThat(report.promisedBytes())
                    .isEqualTo(compiled.plan(x).schedule().footprint().peakBytes())
                    .isLessThanOrEqualTo(2L * n * Double.BYTES);
        }
        Fn<Tensor, Tensor> g =
                v -> {
                    var c = new Cell(v);
                    c.update(Tensor::sin);
                    c.update(Tensor::cos);
                    return c.get();
                };
        try (var compiled = Ebb.compile(g)) {
            compiled.apply(x);
            assertThat(compiled.report().promisedBytes()).isEqualTo(1L * n * Double.BYTES);
        }
    }

    private static final int ROWS = 1 << 10;
    private static final long LARGE = 64L * ROWS * Double.BYTES;

    /** {@code x = f(x); x[2:4] = y; x[mask] = z} takes the memory of x. */
    private static Tensor assigned(Tensor v) {
        var c = new Cell(v);
        c.update(Tensor::sin);
        c.assign(0, 2, 4, v.literal(3));
        c.assignWhere(v.literal(1).gt(0), v.literal(0.5));
        c.assign(1, 1, 2, v.literal(4));
        c.update(t -> t.mul(2));
        return c.get();
    }

    private static Array large() {
        return (Array) Tensors.fill(new Type(DType.F64, Shape.of(ROWS, 64)), 0.5);
    }

    private static long peak(Fn<Tensor, Tensor> f) {
        try (var compiled = Ebb.compile(f)) {
            compiled.apply(large());
            var report = compiled.report();
            assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
            return report.promisedBytes();
        }
    }

    @Test
    void partsOfDeadVersionsAreWrittenInPlace() {
        // two rows, and a column, are made elsewhere first
        assertThat(peak(CellTest::assigned)).isLessThanOrEqualTo(LARGE + LARGE / 16);
        // the gradient of a sum of squares needs the last version, and writes over its cotangent
        assertThat(peak(Ebb.grad(v -> assigned(v).square().sum())))
                .isLessThanOrEqualTo(3 * LARGE + LARGE / 16);
    }

    @Test
    void aLoopWritesPartsOfItsCarryInPlace() {
        Fn<Tensor, Tensor> loop = v -> Loop.repeat(5, v, CellTest::assigned);
        // the argument and the carry
        assertThat(peak(loop)).isLessThanOrEqualTo(2 * LARGE + LARGE / 16);
        Fn<Tensor, Tensor> unrolled =
                v -> {
                    Tensor c = v;
                    for (int i = 0; i < 5; i++) c = assigned(c);
                    return c;
                };
        var x = (Array) Key.of(1).uniform(Type.of(DType.F64, 6, 5));
        assertThat(Ebb.compile(loop).apply(x).sameBits((Array) unrolled.apply(x))).isTrue();
        Fn<Tensor, Tensor> a = v -> loop.apply(v).square().sum();
        Fn<Tensor, Tensor> b = v -> unrolled.apply(v).square().sum();
        var expected = (Array) Ebb.grad(b).apply(x);
        for (int slots = 1; slots < 5; slots++) {
            try (var few = Ebb.compile(Ebb.grad(a)).with(new Binomial(slots))) {
                assertThat(few.apply(x).sameBits(expected)).isTrue();
            }
        }
    }

    /** An update whose old version is read later, and a swap of two carries, stay right. */
    @Test
    void anOldVersionThatIsStillReadIsNotWrittenOver() {
        record Two(Tensor a, Tensor b) {}
        Fn<Two, Two> step =
                s -> {
                    var c = new Cell(s.a().sin());
                    var old = c.get();
                    c.assign(0, 0, 2, s.b().slice(0, 1, 3));
                    return new Two(c.get().mul(old).add(s.b()), c.get());
                };
        var at = new Two(Array.of(0.1, 0.2, 0.3), Array.of(0.4, 0.5, 0.6));
        var looped = Ebb.compile((Two s) -> Loop.repeat(4, s, step)).apply(at);
        var two = at;
        for (int i = 0; i < 4; i++) two = step.apply(two);
        assertThat(looped.a().sameBits((Array) two.a())).isTrue();
        assertThat(looped.b().sameBits((Array) two.b())).isTrue();
        // a state of a process, of which a part is written anew in every step
        try (var stepper =
                Ebb.stepper(
                                (Tensor s, Tensor x) -> {
                                    var c = new Cell(s);
                                    c.assign(0, 1, 3, x);
                                    return new Next<>(c.get(), c.get().sum());
                                })
                        .start((Tensor) large(), large().slice(0, 0, 2))) {
            stepper.step(large().slice(0, 0, 2));
            assertThat(stepper.report().promisedBytes()).isLessThan(LARGE + LARGE / 64);
        }
        // and one of which rows are written that an index names
        try (var stepper =
                Ebb.stepper(
                                (Tensor s, Tensor index) -> {
                                    var rows = s.slice(0, 0, 2).exp();
                                    var next = s.indexCopy(0, index, rows);
                                    return new Next<>(next, next.sum());
                                })
                        .start((Tensor) large(), Array.of(0L, 0L))) {
            stepper.step(Array.of(3L, 5L));
            stepper.step(Array.of(7L, 5L));
            assertThat(stepper.report().promisedBytes()).isLessThan(LARGE + LARGE / 64);
            assertThat(((Array) stepper.state()).get(7, 1)).isEqualTo(Math.exp(0.5));
        }
    }

    @Test
    void anArrayIsACopyThatNobodyCanChange() {
        var mine = new double[] {1, 2};
        var array = Array.of(mine);
        Fn<Tensor, Tensor> f = x -> x.mul(array).sum();
        var compiled = Ebb.compile(f);
        var before = (Array) compiled.apply(array);
        mine[0] = 100;
        assertThat(compiled.apply(array).sameBits(before)).isTrue();
        assertThat(array.data().get(0)).isEqualTo(1);
        assertThatThrownBy(() -> array.data().set(0, 7.0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
        try (var tape = new Tape(Budget.unlimited())) {
            var x = tape.watch(array);
            var y = x.square().sum();
            mine[1] = 100;
            assertThat(y.item()).isEqualTo(5);
            assertThat(tape.array(tape.gradient(y, x)).toDoubles()).containsExactly(2, 4);
        }
    }
}
