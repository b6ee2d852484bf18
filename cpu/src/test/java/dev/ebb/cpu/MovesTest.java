package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Combine;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.SplittableRandom;

class MovesTest {
    private static final Reference REFERENCE = new Reference();
    private static final List<Cpu> CPUS = List.of(new Cpu(1), new Cpu(3));

    @AfterAll
    static void close() {
        CPUS.forEach(Cpu::close);
    }

    private static void check(Kernel kernel, List<Buffer> in, Type out) {
        var expected = Direct.run(REFERENCE, kernel, in, out);
        for (Cpu cpu : CPUS) {
            var actual = Direct.run(cpu, kernel, in, out);
            Direct.same(actual, expected, 0, kernel + " on " + cpu.threads().count() + " threads");
        }
    }

    private static Buffer indices(DType type, int size, int bound) {
        var index = Direct.buffer(type, size);
        var random = new SplittableRandom(9);
        for (int i = 0; i < size; i++) index.setLong(i, random.nextInt(bound));
        return index;
    }

    @ParameterizedTest
    @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "BIT")
    void assembling_concatenates_pads_interleaves_and_turns(DType type) {
        var a = Direct.calm(type, 6 * 5, 1);
        var b = Direct.calm(type, 6 * 70, 2);
        var one = List.of(1, 1);
        var joined =
                new Kernel.Assemble(
                        Shape.of(6, 75),
                        0,
                        List.of(
                                new View.Part(Shape.of(6, 5), List.of(0, 0), one),
                                new View.Part(Shape.of(6, 70), List.of(0, 5), one)));
        check(joined, List.of(a, b), Type.of(type, 6, 75));
        var padded =
                new Kernel.Assemble(
                        Shape.of(9, 11),
                        1,
                        List.of(new View.Part(Shape.of(6, 5), List.of(2, 3), one)));
        check(padded, List.of(a), Type.of(type, 9, 11));
        var apart =
                new Kernel.Assemble(
                        Shape.of(13, 11),
                        1,
                        List.of(new View.Part(Shape.of(6, 5), List.of(12, 1), List.of(-2, 2))));
        check(apart, List.of(a), Type.of(type, 13, 11));
        var over =
                new Kernel.Assemble(
                        Shape.of(6, 70),
                        0,
                        List.of(
                                new View.Part(Shape.of(6, 70), List.of(0, 0), one),
                                new View.Part(Shape.of(6, 5), List.of(0, 3), one)));
        check(over, List.of(b, a), Type.of(type, 6, 70));
        var twice =
                new Kernel.Assemble(
                        Shape.of(6, 10),
                        1,
                        List.of(
                                new View.Part(Shape.of(6, 5), List.of(0, 2), one),
                                new View.Part(Shape.of(6, 5), List.of(0, 4), one)));
        check(twice, List.of(a, Direct.calm(type, 6 * 5, 3)), Type.of(type, 6, 10));
        check(new Kernel.Assemble(Shape.of(0, 3), 1, List.of()), List.of(), Type.of(type, 0, 3));
    }

    @ParameterizedTest
    @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "BIT")
    void cutting_gives_back_what_lies_side_by_side(DType type) {
        for (int inner : new int[] {1, 40}) {
            new Parity(
                            new Kernel.Cut(300, List.of(2, 0, 5), inner),
                            List.of(Type.of(type, 300, 7, inner)),
                            List.of(
                                    Type.of(type, 300, 2, inner),
                                    Type.of(type, 300, 0, inner),
                                    Type.of(type, 300, 5, inner)))
                    .agrees(0);
        }
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void views_whose_innermost_axis_is_short(DType type) {
        for (int width : new int[] {1, 2, 3, 5, 31, 32, 40}) {
            var shape = Shape.of(3, 401, width);
            for (var strides :
                    List.of(
                            List.of(0L, 1L, 0L),
                            List.of(0L, 0L, 1L),
                            List.of(401L, 1L, 0L),
                            List.of(1L, 3L, 0L),
                            List.of(7L, 0L, 2L),
                            List.of(5L, 2L, 1L))) {
                var view = new View(3, strides);
                var data = Direct.mixed(type, 3000, 1);
                var stored = type == DType.BIT ? DType.BOOL : type;
                var copy = Kernel.Map.of(shape, List.of(view), Scalar.arg(0));
                check(copy, List.of(data), new Type(stored, shape));
            }
        }
    }

    @Test
    void gathering_rows_and_elements() {
        for (DType type : List.of(DType.F32, DType.F64, DType.BF16, DType.I64, DType.U8)) {
            var data = Direct.calm(type, 50 * 33, 1);
            for (DType of : List.of(DType.I32, DType.I64)) {
                var rows =
                        new Kernel.Gather(
                                Shape.of(700, 33),
                                new View(0, List.of(0L, 1L)),
                                new View(0, List.of(1L, 0L)),
                                33,
                                50);
                check(rows, List.of(data, indices(of, 700, 50)), Type.of(type, 700, 33));
                var along =
                        new Kernel.Gather(
                                Shape.of(50, 7),
                                new View(0, List.of(33L, 0L)),
                                new View(0, List.of(7L, 1L)),
                                1,
                                33);
                check(along, List.of(data, indices(of, 350, 33)), Type.of(type, 50, 7));
            }
        }
    }

    @Test
    void scattering_adds_in_order() {
        for (DType type : List.of(DType.F32, DType.F64, DType.F16, DType.I32)) {
            var source = Direct.mixed(type, 1000 * 130, 2);
            var rows =
                    new Kernel.Scatter(
                            Kernel.Write.ADD,
                            Shape.of(1000, 130),
                            20 * 130,
                            new View(0, List.of(0L, 1L)),
                            new View(0, List.of(1L, 0L)),
                            new View(0, List.of(130L, 1L)),
                            130,
                            20);
            check(rows, List.of(indices(DType.I32, 1000, 20), source), Type.of(type, 20, 130));
            var elements =
                    new Kernel.Scatter(
                            Kernel.Write.ADD,
                            Shape.of(500, 40),
                            500 * 11,
                            new View(0, List.of(11L, 0L)),
                            new View(0, List.of(40L, 1L)),
                            new View(3, List.of(40L, 1L)),
                            1,
                            11);
            check(
                    elements,
                    List.of(indices(DType.I64, 20_000, 11), source),
                    Type.of(type, 500, 11));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SET", "MAX", "MIN"})
    void scattering_over_data_keeps_the_last_or_the_extreme(Kernel.Write write) {
        for (DType type : List.of(DType.F32, DType.F64, DType.BF16, DType.I64, DType.U8)) {
            var source = Direct.mixed(type, 1000 * 130, 2);
            var rows =
                    new Kernel.Scatter(
                            write,
                            Shape.of(1000, 130),
                            20 * 130,
                            new View(0, List.of(0L, 1L)),
                            new View(0, List.of(1L, 0L)),
                            new View(0, List.of(130L, 1L)),
                            130,
                            20);
            var data = Direct.mixed(type, 20 * 130, 3);
            check(rows, List.of(data, indices(DType.I32, 1000, 20), source), Type.of(type, 2600));
            var lines =
                    new Kernel.Scatter(
                            write,
                            Shape.of(40, 30, 7),
                            40 * 11 * 7,
                            new View(0, List.of(77L, 0L, 1L)),
                            new View(0, List.of(0L, 1L, 0L)),
                            new View(3, List.of(7L, 280L, 1L)),
                            7,
                            11);
            var whole = Direct.mixed(type, 3080, 4);
            check(lines, List.of(whole, indices(DType.I64, 30, 11), source), Type.of(type, 3080));
            var elements =
                    new Kernel.Scatter(
                            write,
                            Shape.of(500, 40),
                            500 * 11,
                            new View(0, List.of(11L, 0L)),
                            new View(0, List.of(40L, 1L)),
                            new View(0, List.of(1L, 500L)),
                            1,
                            11);
            var flat = Direct.mixed(type, 5500, 5);
            var each = indices(DType.I64, 20_000, 11);
            check(elements, List.of(flat, each, source), Type.of(type, 500, 11));
        }
    }

    @ParameterizedTest
    @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "BIT")
    void sorting_puts_equals_in_their_order_and_nan_last(DType type) {
        for (int length : new int[] {1, 7, 8, 9, 16, 100, 260}) {
            for (boolean descending : new boolean[] {false, true}) {
                var sort = new Kernel.Sort(3, length, 5, descending);
                var data = Direct.mixed(type, 15L * length, 6);
                check(sort, List.of(data), Type.of(DType.I64, 3, length, 5));
                var few = indices(DType.I32, 15 * length, 4);
                check(sort, List.of(few), Type.of(DType.I64, 3, length, 5));
            }
        }
    }

    @Test
    void an_index_outside_is_named() {
        var index = Direct.buffer(DType.I32, 3);
        index.setLong(1, 50);
        var data = Direct.calm(DType.F32, 50, 1);
        var gather =
                new Kernel.Gather(
                        Shape.of(3), new View(0, List.of(0L)), new View(0, List.of(1L)), 1, 50);
        assertThatThrownBy(
                        () ->
                                Direct.run(
                                        CPUS.getFirst(),
                                        gather,
                                        List.of(data, index),
                                        Type.of(DType.F32, 3)))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("index 50 is outside an axis of 50 elements");
        var one = new View(0, List.of(1L));
        var scatter =
                new Kernel.Scatter(
                        Kernel.Write.ADD,
                        Shape.of(3),
                        50,
                        new View(0, List.of(0L)),
                        one,
                        one,
                        1,
                        50);
        assertThatThrownBy(
                        () ->
                                Direct.run(
                                        CPUS.getLast(),
                                        scatter,
                                        List.of(index, data),
                                        Type.of(DType.F32, 50)))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("indices run from 0 to 49");
    }

    @ParameterizedTest
    @EnumSource(Combine.class)
    void running_along_an_axis(Combine combine) {
        for (DType type :
                List.of(DType.F32, DType.F64, DType.BF16, DType.I32, DType.I64, DType.U8)) {
            for (boolean reverse : new boolean[] {false, true}) {
                for (int[] s :
                        new int[][] {
                            {1, 207, 1},
                            {3, 13, 7},
                            {2, 5, 700},
                            {40, 1, 3},
                            {5, 0, 2},
                            {200, 100, 2}
                        }) {
                    var kernel = new Kernel.Cumulate(s[0], s[1], s[2], combine, reverse, false);
                    var in = Direct.calm(type, (long) s[0] * s[1] * s[2], 3);
                    check(kernel, List.of(in), Type.of(type, s[0], s[1], s[2]));
                    if (combine != Combine.SUM || !type.isFloat()) continue;
                    var weighted = new Kernel.Cumulate(s[0], s[1], s[2], combine, reverse, true);
                    var weights = Direct.calm(type, (long) s[0] * s[1] * s[2], 4);
                    check(weighted, List.of(weights, in), Type.of(type, s[0], s[1], s[2]));
                }
            }
        }
    }
}
