package dev.ebb.cpu.product;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.reflect.Array;

/** Every element of a packed factor is at the index given by {@link Pack#place}. */
class PackTest {
    private static final int DEPTH = 37;
    private static final int TOTAL = 40;
    private static final int AT = 5;
    private static final int BASE = 3;
    private static final int SIZE = 1 << 16;

    @ParameterizedTest
    @CsvSource({
        "F32, 1",
        "F32, 7",
        "F32, 64",
        "F32, 251",
        "F64, 1",
        "F64, 7",
        "F64, 64",
        "F64, 251"
    })
    void matricesOfTheSameType(DType type, int count) {
        panels(type, type, count);
    }

    @ParameterizedTest
    @CsvSource({"BF16, F32", "F16, F32", "F32, F64"})
    void matricesOfAnotherType(DType from, DType type) {
        panels(from, type, 70);
    }

    private static void panels(DType from, DType type, int count) {
        if (type == DType.F32) panels(from, F32Pack.PACK, new float[SIZE], count);
        else panels(from, F64Pack.PACK, new double[SIZE], count);
    }

    private static <A> void panels(DType type, Pack<A> pack, A into, int count) {
        try (var arena = Arena.ofConfined()) {
            int apart = Math.max(count, DEPTH);
            var from = buffer(arena, type, BASE + 2 * apart * apart);
            int[][] strides = {{1, apart}, {apart, 1}, {2, apart}};
            for (int[] s : strides) {
                pack.panels(from, BASE, s[0], s[1], count, DEPTH, TOTAL, into, AT);
                for (int i = 0; i < count; i++)
                    for (int k = 0; k < DEPTH; k++)
                        assertThat(Array.getDouble(into, AT + pack.place(i, k, TOTAL)))
                                .isEqualTo(from.get(BASE + i * s[0] + k * s[1]));
            }
            pack.rows(from, BASE, apart, count, DEPTH, into, AT);
            for (int i = 0; i < count; i++)
                for (int k = 0; k < DEPTH; k++)
                    assertThat(Array.getDouble(into, AT + i * DEPTH + k))
                            .isEqualTo(from.get(BASE + i * apart + k));
        }
    }

    @ParameterizedTest
    @CsvSource({"F32", "F64"})
    void gatheredLanes(DType type) {
        if (type == DType.F32) gathered(type, F32Pack.PACK, new float[SIZE]);
        else gathered(type, F64Pack.PACK, new double[SIZE]);
    }

    private static <A> void gathered(DType type, Pack<A> pack, A into) {
        int count = 70;
        var offsets = new int[count];
        for (int i = 0; i < count; i++) offsets[i] = i % 5 == 4 ? -1 : i * 31 % count;
        try (var arena = Arena.ofConfined()) {
            var from = buffer(arena, type, BASE + count * (DEPTH + 1));
            pack.gather(from, BASE, count, offsets, count, DEPTH, TOTAL, into, AT);
            for (int i = 0; i < count; i++)
                for (int k = 0; k < DEPTH; k++)
                    assertThat(Array.getDouble(into, AT + pack.place(i, k, TOTAL)))
                            .isEqualTo(at(from, offsets[i], k * count));
            pack.column(from, BASE, offsets, DEPTH, into, AT);
            for (int k = 0; k < DEPTH; k++)
                assertThat(Array.getDouble(into, AT + pack.place(0, k, DEPTH)))
                        .isEqualTo(at(from, offsets[k], 0));
        }
    }

    private static double at(Buffer from, int offset, int further) {
        return offset < 0 ? 0 : from.get(BASE + offset + further);
    }

    private static Buffer buffer(Arena arena, DType type, int size) {
        var buffer = new Buffer(type, size, arena.allocate(type.bytes(size), 64));
        for (int i = 0; i < size; i++) buffer.set(i, i * 31 % 101);
        return buffer;
    }
}
