package dev.ebb.cpu;

import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

class MapTest {
    private static final Reference REFERENCE = new Reference();
    private static final Cpu CPU = new Cpu(2);
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);

    /** Ebb's f32 functions may differ by two units in the last place from rounded doubles. */
    private static final double OWN = 2;

    @AfterAll
    static void close() {
        CPU.close();
    }

    private static void check(
            Scalar body, Shape shape, List<View> views, List<Buffer> in, DType out, double ulps) {
        var kernel = Kernel.Map.of(shape, views, body);
        var type = new Type(out, shape);
        var expected = Direct.run(REFERENCE, kernel, in, type);
        Direct.same(Direct.run(CPU, kernel, in, type), expected, ulps, body + " of " + shape);
    }

    private static void check(Scalar body, List<Buffer> in, DType out, double ulps) {
        var shape = Shape.of((int) in.getFirst().size());
        check(body, shape, in.stream().map(_ -> View.contiguous(shape)).toList(), in, out, ulps);
    }

    private static boolean fits(Scalar body, DType... args) {
        try {
            body.type(List.of(args));
            return true;
        } catch (ShapeException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(Fn1.class)
    void every_function_of_one(Fn1 fn) {
        for (DType type : List.of(DType.F32, DType.F64, DType.I32, DType.I64, DType.BOOL)) {
            var body = X.apply(fn);
            if (!fits(body, type)) continue;
            double ulps = type == DType.F32 ? OWN : 0;
            check(body, List.of(Direct.mixed(type, 1025, 3)), body.type(List.of(type)), ulps);
        }
    }

    @ParameterizedTest
    @EnumSource(Fn2.class)
    void every_function_of_two(Fn2 fn) {
        for (DType type : List.of(DType.F32, DType.F64, DType.I32, DType.I64, DType.BOOL)) {
            var body = X.apply(fn, Y);
            if (!fits(body, type, type)) continue;
            int n = fn == Fn2.POLYGAMMA ? 13 : 1025;
            var y = fn == Fn2.POLYGAMMA ? Direct.calm(type, n, 5) : Direct.mixed(type, n, 5);
            if (type.isInteger() && (fn == Fn2.DIV || fn == Fn2.REM)) withoutZeros(y);
            check(body, List.of(Direct.mixed(type, n, 4), y), body.type(List.of(type, type)), 0);
        }
    }

    /**
     * Replaces zeros, because an integer division by zero is refused ({@link CpuConventionsTest}
     * tests that).
     */
    private static void withoutZeros(Buffer y) {
        for (long i = 0; i < y.size(); i++) if (y.getLong(i) == 0) y.setLong(i, 3);
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void every_cast_from(DType from) {
        for (DType to : DType.values()) {
            for (int n : new int[] {1, 7, 207})
                check(X.cast(to), List.of(Direct.mixed(from, n, 6)), to, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 13, 207, 1025, 4098, 100_003})
    void every_size(int n) {
        check(
                X.mul(Y).add(X).max(Y),
                List.of(Direct.mixed(DType.F32, n, 1), Direct.mixed(DType.F32, n, 2)),
                DType.F32,
                0);
        check(
                X.gt(Y),
                List.of(Direct.mixed(DType.F32, n, 1), Direct.mixed(DType.F32, n, 2)),
                DType.BIT,
                0);
        var bits = List.of(Direct.mixed(DType.BIT, n, 1), Direct.mixed(DType.BF16, n, 2));
        check(X.select(Y, Y.neg()), bits, DType.F16, 0);
    }

    @Test
    void views_that_broadcast_step_turn_and_transpose() {
        var x = Direct.mixed(DType.F32, 40_000, 1);
        var shape = Shape.of(3, 37, 41);
        var views =
                List.of(
                        new View(0, List.of(0L, 0L, 0L)),
                        new View(5, List.of(0L, 0L, 1L)),
                        new View(7, List.of(0L, 1L, 0L)),
                        new View(0, List.of(1L, 3L, 111L)),
                        new View(39_999, List.of(-1517L, -41L, -1L)),
                        new View(2, List.of(9000L, 200L, 2L)),
                        new View(0, List.of(37L, 0L, 41L)));
        for (View v : views) {
            for (View w : views) check(X.sub(Y), shape, List.of(v, w), List.of(x, x), DType.F32, 0);
        }
        for (DType type : DType.values()) {
            var t = Direct.mixed(type, 40_000, 2);
            for (View v : views) check(X, shape, List.of(v), List.of(t), type, 0);
        }
    }

    @Test
    void an_output_may_lie_over_an_operand() {
        int n = 100_003;
        var shape = Shape.of(n);
        var view = View.contiguous(shape);
        var x = Direct.mixed(DType.F32, n, 1);
        var y = Direct.mixed(DType.F32, n, 2);
        var kernel = new Kernel.Map(shape, List.of(view, view), List.of(X.mul(Y), X.add(Y)));
        var types = List.of(new Type(DType.F32, shape), new Type(DType.F32, shape));
        var a = List.of(Direct.copy(x), Direct.copy(y));
        var b = List.of(Direct.copy(x), Direct.copy(y));
        Direct.run(REFERENCE, kernel, a, a, types);
        Direct.run(CPU, kernel, b, b, types);
        Direct.same(b.get(0), a.get(0), 0, "product in place");
        Direct.same(b.get(1), a.get(1), 0, "sum in place");
    }

    @Test
    void indices_positions_and_draws() {
        var key = Direct.buffer(DType.I64, 1);
        key.setLong(0, 0x123456789abcdefL);
        var shape = Shape.of(7, 5, 301);
        var views = List.of(new View(0, List.of(0L, 0L, 0L)));
        var in = List.of(key);
        for (int axis = 0; axis < 3; axis++)
            check(new Scalar.Index(axis), shape, views, in, DType.I32, 0);
        var position = new Scalar.Position();
        check(position, shape, views, in, DType.I64, 0);
        check(new Scalar.Draw(X, position), shape, views, in, DType.I32, 0);
        check(
                new Scalar.Draw(X, position.add(new Scalar.Lit(DType.I64, 3))),
                shape,
                views,
                in,
                DType.I32,
                0);
        check(new Scalar.Draw(position, X), shape, views, in, DType.I32, 0);
    }

    /** A body that keeps hundreds of values alive gets shorter tiles, with the same results. */
    @Test
    void a_body_with_more_values_than_registers() {
        var sums = new ArrayList<Scalar>();
        for (int i = 0; i < 300; i++) sums.add(X.mul(Y.add(new Scalar.Lit(DType.F32, i))));
        Scalar all = sums.getFirst();
        for (int i = 1; i < 300; i++) all = all.add(sums.get(i));
        for (int i = 0; i < 300; i++) all = all.max(sums.get(299 - i));
        check(
                all,
                List.of(Direct.calm(DType.F32, 4098, 1), Direct.calm(DType.F32, 4098, 2)),
                DType.F32,
                0);
    }

    @Test
    void the_same_bits_on_any_number_of_threads() {
        var x = Direct.mixed(DType.F32, 100_003, 1);
        var shape = Shape.of(100_003);
        var body = X.tanh().mul(X.exp()).add(X.erf());
        var kernel = Kernel.Map.of(shape, List.of(View.contiguous(shape)), body);
        var once = Direct.run(CPU, kernel, List.of(x), new Type(DType.F32, shape));
        for (int threads : new int[] {1, 3}) {
            try (var cpu = new Cpu(threads)) {
                var again = Direct.run(cpu, kernel, List.of(x), new Type(DType.F32, shape));
                Direct.same(again, once, 0, threads + " threads");
            }
        }
    }
}
