package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.FusedMap;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.Tile;
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

import java.util.List;
import java.util.Optional;

/** Generated loops against the tile evaluator, bit for bit. */
class FusedTest {
    private static final Cpu CPU = new Cpu(1);
    private static final List<DType> NUMBERS = List.of(DType.F32, DType.F64);
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);
    private static final Scalar Z = Scalar.arg(2);

    @AfterAll
    static void close() {
        CPU.close();
    }

    /** Runs the body both ways; empty if it cannot be generated. */
    private static Optional<Buffer> check(
            Shape shape, List<View> views, Scalar body, List<Buffer> in, DType type) {
        var expected =
                Direct.run(CPU, Kernel.Map.of(shape, views, body), in, new Type(type, shape));
        var out = Direct.buffer(type, shape.size());
        var line = OperationList.of(List.of(body), in.stream().map(Buffer::dtype).toList());
        var form = FusedMap.of(line, shape, in, views, List.of(out), new FusedLoops());
        form.ifPresent(
                map -> {
                    map.entry().expect(Long.MAX_VALUE);
                    var loop = map.entry().loops();
                    assertThat(loop).isNotNull();
                    if (loop != null)
                        map.range(loop, new Tile(KernelScratchSizes.MOST), 0, shape.size());
                    Direct.same(out, expected, 0, body + " of " + shape);
                });
        return form.map(_ -> out);
    }

    private static Optional<Buffer> flat(int n, Scalar body, List<Buffer> in, DType type) {
        var shape = Shape.of(n);
        return check(shape, in.stream().map(_ -> View.contiguous(shape)).toList(), body, in, type);
    }

    @ParameterizedTest
    @EnumSource(Fn1.class)
    void every_function_of_one(Fn1 fn) {
        if (fn == Fn1.NOT) return;
        for (DType type : NUMBERS) every_function_of_one(fn, type);
    }

    private static void every_function_of_one(Fn1 fn, DType type) {
        var body = X.apply(fn);
        var out = fn == Fn1.IS_NAN ? DType.BIT : type;
        var made = flat(1025, body, List.of(Direct.mixed(type, 1025, 1)), out);
        boolean expected =
                switch (fn) {
                    case NEG,
                            ABS,
                            SIGN,
                            SQRT,
                            EXP,
                            EXPM1,
                            LOG,
                            LOG1P,
                            SIN,
                            COS,
                            TANH,
                            ERF,
                            IS_NAN ->
                            true;
                    case TAN, ATAN, ERFC -> type == DType.F64;
                    default -> false;
                };
        assertThat(made.isPresent()).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Fn2.class)
    void every_function_of_two(Fn2 fn) {
        if (fn == Fn2.POLYGAMMA) return; // its order is a small integer
        var body = X.apply(fn, Y);
        for (DType type : List.of(DType.F32, DType.F64, DType.BIT)) {
            DType out;
            try {
                out = body.type(List.of(type, type)) == type ? type : DType.BIT;
            } catch (ShapeException e) {
                continue;
            }
            flat(
                    1025,
                    body,
                    List.of(Direct.mixed(type, 1025, 1), Direct.mixed(type, 1025, 2)),
                    out);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void awkward_sizes(DType type) {
        for (int n : new int[] {64, 71, 207, 4098, 100_003}) {
            var in =
                    List.of(
                            Direct.mixed(type, n, 1),
                            Direct.mixed(DType.BIT, n, 2),
                            Direct.mixed(type, n, 3));
            assertThat(flat(n, Y.select(X.mul(Z), Z.neg()), in, type)).isPresent();
            assertThat(flat(n, Y.not().and(X.gt(Z)), in, DType.BIT)).isPresent();
            assertThat(flat(n, Y.cast(type).mul(X), in, type)).isPresent();
            assertThat(flat(n, Y.select(X.lt(Z), X.eq(Z)), in, DType.BIT)).isPresent();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void rows_columns_and_scalars_that_repeat(DType type) {
        for (int width : new int[] {64, 71, 256}) {
            var shape = Shape.of(3, 17, width);
            var x = Direct.mixed(type, shape.size(), 1);
            var row = Direct.mixed(type, width, 2);
            var column = Direct.mixed(type, 51, 3);
            var views =
                    List.of(
                            View.contiguous(shape),
                            new View(0, List.of(0L, 0L, 1L)),
                            new View(0, List.of(17L, 1L, 0L)));
            var body = X.sub(Z).mul(Y).tanh();
            assertThat(check(shape, views, body, List.of(x, row, column), type)).isPresent();
            var scalar = List.of(views.get(0), new View(5, List.of(0L, 0L, 0L)));
            assertThat(check(shape, scalar, X.max(Y), List.of(x, row), type)).isPresent();
        }
    }

    @Test
    void what_a_loop_cannot_do_stays_with_the_tiles() {
        var shape = Shape.of(70, 70);
        var x = Direct.mixed(DType.F32, shape.size(), 1);
        var turned = new View(0, List.of(1L, 70L));
        assertThat(check(shape, List.of(turned), X.exp(), List.of(x), DType.F32)).isEmpty();
        var view = List.of(View.contiguous(shape));
        assertThat(
                        check(
                                shape,
                                view,
                                X.add(new Scalar.Index(0).cast(DType.F32)),
                                List.of(x),
                                DType.F32))
                .isEmpty();
        var wide = Direct.mixed(DType.F64, shape.size(), 2);
        var both = List.of(view.getFirst(), view.getFirst());
        assertThat(check(shape, both, X.cast(DType.F64).mul(Y), List.of(x, wide), DType.F64))
                .isEmpty();
        var halves = Direct.mixed(DType.BF16, shape.size(), 1);
        assertThat(check(shape, view, X, List.of(halves), DType.F32)).isEmpty();
    }

    /** A kernel that runs repeatedly moves from tiles to a generated loop, and keeps its bits. */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64"})
    void warming_up_changes_no_bit(DType type) {
        int n = 200_000;
        var shape = Shape.of(n);
        var x = Direct.mixed(type, n, 1);
        var views = List.of(View.contiguous(shape));
        var kernel = new Kernel.Map(shape, views, List.of(X.mul(X).add(X).tanh(), X.gt(X.exp())));
        var types = List.of(new Type(type, shape), new Type(DType.BIT, shape));
        List<Buffer> first = List.of(Direct.buffer(type, n), Direct.buffer(DType.BIT, n));
        Direct.run(CPU, kernel, List.of(x), first, types);
        for (int i = 0; i < 40; i++) {
            List<Buffer> again = List.of(Direct.buffer(type, n), Direct.buffer(DType.BIT, n));
            Direct.run(CPU, kernel, List.of(x), again, types);
            Direct.same(again.get(0), first.get(0), 0, "floats, run " + i);
            Direct.same(again.get(1), first.get(1), 0, "bits, run " + i);
        }
    }
}
