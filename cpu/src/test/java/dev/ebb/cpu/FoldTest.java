package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Combine;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Random;

class FoldTest {
    private static final Reference REFERENCE = new Reference();
    private static final Cpu CPU = new Cpu(2);
    private static final Scalar X = Scalar.arg(0);

    private record Case(Shape shape, List<Integer> axes) {}

    private static final List<Case> CASES =
            List.of(
                    new Case(Shape.of(), List.of()),
                    new Case(Shape.of(1, 1), List.of(0, 1)),
                    new Case(Shape.of(7), List.of()),
                    new Case(Shape.of(7), List.of(0)),
                    new Case(Shape.of(207), List.of(0)),
                    new Case(Shape.of(100_003), List.of(0)),
                    new Case(Shape.of(3, 4098), List.of(1)),
                    new Case(Shape.of(2, 70_001), List.of(1)),
                    new Case(Shape.of(513, 3), List.of(1)),
                    new Case(Shape.of(100, 256), List.of(1)),
                    new Case(Shape.of(513, 3), List.of(0)),
                    new Case(Shape.of(207, 1025), List.of(0)),
                    new Case(Shape.of(5000, 13), List.of(0)),
                    new Case(Shape.of(300, 2100), List.of(0)),
                    new Case(Shape.of(5, 31, 7), List.of(1)),
                    new Case(Shape.of(6, 5, 4, 3), List.of(0, 2)),
                    new Case(Shape.of(6, 5, 4, 3), List.of(1, 3)),
                    new Case(Shape.of(70, 3, 50), List.of(0, 2)),
                    new Case(Shape.of(2, 1, 3, 1), List.of(1, 3)),
                    new Case(Shape.of(0, 3), List.of(0)),
                    new Case(Shape.of(3, 0), List.of(0)));

    @AfterAll
    static void close() {
        CPU.close();
    }

    private static Buffer run(
            Case c, Combine combine, Scalar body, Buffer x, View view, DType out) {
        var kernel = new Kernel.Fold(c.shape, c.axes, combine, List.of(view), body);
        return Direct.run(CPU, kernel, List.of(x), new Type(out, c.shape.reduce(c.axes, false)));
    }

    @ParameterizedTest
    @EnumSource(Combine.class)
    void every_combination_of_every_type_and_shape(Combine combine) {
        for (Case c : CASES) {
            for (DType type : DType.values()) {
                if (c.shape.size() > 20_000 && type != DType.F32) continue;
                var out = type == DType.BIT ? DType.BOOL : type;
                var x =
                        combine == Combine.PROD && type.isFloat()
                                ? powersOfTwo(type, c.shape.size())
                                : Direct.calm(type, c.shape.size(), 3);
                var view = View.contiguous(c.shape);
                var kernel = new Kernel.Fold(c.shape, c.axes, combine, List.of(view), X);
                var expected =
                        Direct.run(
                                REFERENCE,
                                kernel,
                                List.of(x),
                                new Type(out, c.shape.reduce(c.axes, false)));
                near(run(c, combine, X, x, view, out), expected, combine + " " + type + " " + c);
            }
        }
    }

    /** Numbers whose products do not round, so that any order gives the same. */
    private static Buffer powersOfTwo(DType type, long size) {
        var x = Direct.buffer(type, size);
        for (long i = 0; i < size; i++) {
            int residue = (int) (i % 101);
            x.set(i, residue == 7 ? 2 : residue == 58 ? 0.5 : i % 3 == 0 ? -1 : 1);
        }
        return x;
    }

    private static void near(Buffer actual, Buffer expected, String what) {
        double largest = 1;
        for (long i = 0; i < expected.size(); i++)
            largest = Math.max(largest, Math.abs(expected.get(i)));
        double tolerance =
                switch (expected.dtype()) {
                    case F32 -> 2e-6;
                    case F64 -> 1e-13;
                    case BF16 -> 1e-2;
                    case F16 -> 1e-3;
                    case I32, I64, U8, BOOL, BIT -> 0;
                };
        for (long i = 0; i < expected.size(); i++) {
            if (actual.get(i) == expected.get(i)) continue;
            assertThat(actual.get(i))
                    .as("%s [%d]", what, i)
                    .isCloseTo(expected.get(i), within(tolerance * largest));
        }
    }

    /** The order of a sum depends on its shape, not on the memory layout of its operand. */
    @Test
    void the_same_bits_through_any_view() {
        for (Case c : CASES) {
            if (c.shape.rank() != 2) continue;
            var x = Direct.calm(DType.F32, c.shape.size(), 5);
            var turned = Direct.buffer(DType.F32, c.shape.size());
            int rows = c.shape.dim(0);
            int columns = c.shape.dim(1);
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < columns; j++)
                    turned.set((long) j * rows + i, x.get((long) i * columns + j));
            }
            var plain = run(c, Combine.SUM, X, x, View.contiguous(c.shape), DType.F32);
            var view = new View(0, List.of(1L, (long) rows));
            Direct.same(run(c, Combine.SUM, X, turned, view, DType.F32), plain, 0, c.toString());
        }
    }

    @Test
    void the_same_bits_on_any_number_of_threads() {
        for (Case c : CASES) {
            var x = Direct.calm(DType.F32, c.shape.size(), 6);
            var kernel =
                    new Kernel.Fold(
                            c.shape,
                            c.axes,
                            Combine.SUM,
                            List.of(View.contiguous(c.shape)),
                            X.mul(X).exp());
            var type = new Type(DType.F32, c.shape.reduce(c.axes, false));
            var once = Direct.run(CPU, kernel, List.of(x), type);
            for (int threads : new int[] {1, 3}) {
                try (var cpu = new Cpu(threads)) {
                    Direct.same(
                            Direct.run(cpu, kernel, List.of(x), type),
                            once,
                            0,
                            threads + " threads, " + c);
                }
            }
        }
    }

    /** A body with so many live values that a tile is shorter than a block. */
    @Test
    void the_same_order_when_tiles_are_short() {
        var shape = Shape.of(2, 3001);
        var x = Direct.calm(DType.F32, shape.size(), 7);
        Scalar body = X;
        Scalar other = X;
        for (int i = 0; i < 60; i++) body = body.max(X.sub(new Scalar.Lit(DType.F32, i + 2)));
        for (int i = 59; i >= 0; i--) other = other.min(X.add(new Scalar.Lit(DType.F32, i + 2)));
        var c = new Case(shape, List.of(1));
        var plain = run(c, Combine.SUM, X, x, View.contiguous(shape), DType.F32);
        Direct.same(
                run(c, Combine.SUM, body.max(other), x, View.contiguous(shape), DType.F32),
                plain,
                0,
                "short tiles");
    }

    @Test
    void a_long_sum_is_accurate() {
        int n = 1 << 22;
        var x = Direct.buffer(DType.F32, n);
        double exact = 0;
        for (int i = 0; i < n; i++) {
            x.set(i, 1 + (i % 1000) * 1e-3);
            exact += x.get(i);
        }
        var shape = Shape.of(n);
        var sum =
                run(
                        new Case(shape, List.of(0)),
                        Combine.SUM,
                        X,
                        x,
                        View.contiguous(shape),
                        DType.F32);
        assertThat(sum.get(0) / exact).isCloseTo(1, within(2e-7));
        var tall = Shape.of(n / 2, 2);
        var sums =
                run(
                        new Case(tall, List.of(0)),
                        Combine.SUM,
                        X,
                        x,
                        View.contiguous(tall),
                        DType.F32);
        assertThat((sums.get(0) + sums.get(1)) / exact).isCloseTo(1, within(1e-6));
    }

    @Test
    void nan_is_the_most_and_the_least() {
        var shape = Shape.of(3, 100);
        var x = Direct.calm(DType.F32, 300, 8);
        x.set(150, Double.NaN);
        for (Combine combine : List.of(Combine.MAX, Combine.MIN)) {
            var rows =
                    run(
                            new Case(shape, List.of(1)),
                            combine,
                            X,
                            x,
                            View.contiguous(shape),
                            DType.F32);
            assertThat(rows.get(1)).isNaN();
            assertThat(rows.get(0)).isNotNaN();
            var columns =
                    run(
                            new Case(shape, List.of(0)),
                            combine,
                            X,
                            x,
                            View.contiguous(shape),
                            DType.F32);
            assertThat(columns.get(50)).isNaN();
            assertThat(columns.get(49)).isNotNaN();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64"})
    void truths_of_numbers_by_generated_loops(DType dtype) {
        var type = new Type(dtype, Shape.of(5, 300));
        var data = new Random(3).doubles(type.size(), -1, 1).toArray();
        data[700] = Double.NaN;
        Tensor x = Array.of(type, data);
        Fn<Tensor, List<Tensor>> f =
                in ->
                        List.of(
                                in.le(-0.999).any(List.of(1), false),
                                in.gt(in.neg()).all(List.of(0), true),
                                in.isNan().any(List.of(1), true),
                                in.ne(0.5).all());
        try (var loops = SequenceDevices.atOnce(2);
                var run = Ebb.compile(f).on(loops);
                var plain = Ebb.compile(f).on(REFERENCE)) {
            var expected = plain.apply(x);
            for (int i = 0; i < 3; i++) {
                var found = run.apply(x);
                for (int j = 0; j < expected.size(); j++)
                    assertThat(found.get(j).sameBits(expected.get(j))).as("result %d", j).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64", "BF16", "F16", "I32"})
    void several_folds_of_the_same_elements_have_the_bits_of_each_by_itself(DType dtype) {
        for (Case c : CASES) {
            var views = List.of(View.contiguous(c.shape), View.contiguous(c.shape));
            var bodies = List.of(X, X.mul(Scalar.arg(1)), Scalar.arg(1));
            var in =
                    List.of(
                            Direct.calm(dtype, c.shape.size(), 3),
                            Direct.calm(dtype, c.shape.size(), 5));
            var type = new Type(dtype, c.shape.reduce(c.axes, false));
            var all = new Kernel.Fold(c.shape, c.axes, Combine.SUM, views, bodies);
            var together =
                    bodies.stream().map(_ -> Direct.buffer(type.dtype(), type.size())).toList();
            Direct.run(CPU, all, in, together, List.of(type, type, type));
            for (int j = 0; j < bodies.size(); j++) {
                var alone = Direct.run(CPU, all.each().get(j), in, type);
                Direct.same(together.get(j), alone, 0, "body " + j + " of " + c);
            }
        }
    }
}
