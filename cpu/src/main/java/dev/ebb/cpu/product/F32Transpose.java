package dev.ebb.cpu.product;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Sixteen rows of floats as sixteen lanes of a panel, for vectors of 512 bits: each row is read in
 * whole vectors, and elements are permuted within registers, in half the time of a copy element by
 * element. The network has two stages of 4x4: elements within quads of rows, then quads; each is a
 * loop of its own, small enough for C2 to keep in registers, with memory of the first-level cache
 * in between.
 */
final class F32Transpose {
    private static final VectorSpecies<Integer> SPECIES = IntVector.SPECIES_512;
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_512;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = F32Blocks.LANES;

    /** Whether the processor has 512-bit vectors, so that a panel is two of them wide. */
    static final boolean FITS = F32Blocks.SPECIES.length() == SPECIES.length();

    /** Interleaves the elements of two vectors: of their first halves, and of their second. */
    private static final IntVector LOW = places(i -> i / 2 + i % 2 * 16);

    private static final IntVector HIGH = places(i -> 8 + i / 2 + i % 2 * 16);

    /** Interleaves pairs of elements of two vectors. */
    private static final IntVector LOW_PAIRS =
            places(i -> i / 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : 16));

    private static final IntVector HIGH_PAIRS =
            places(i -> 8 + i / 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : 16));

    /** Interleaves groups of four elements of two vectors. */
    private static final IntVector LOW_QUADS =
            places(i -> i / 8 * 4 + i % 4 + (i % 8 < 4 ? 0 : 16));

    private static final IntVector HIGH_QUADS =
            places(i -> 8 + i / 8 * 4 + i % 4 + (i % 8 < 4 ? 0 : 16));

    /** The first halves of two vectors, and their second. */
    private static final IntVector FIRST = places(i -> i < 8 ? i : i + 8);

    private static final IntVector SECOND = places(i -> i < 8 ? i + 8 : i + 16);

    /** The number of depths that are transposed at once. */
    private static final int SOME = 64;

    /**
     * The distance between quads of rows in the intermediate memory, chosen so that they are in
     * different sets of the cache.
     */
    private static final int QUAD = 4 * SOME + 16;

    /** The number of floats in the intermediate memory between the stages. */
    static final int SPARE = 4 * QUAD;

    private F32Transpose() {}

    private static IntVector places(IntUnaryOperator place) {
        return IntVector.fromArray(SPECIES, IntStream.range(0, 16).map(place).toArray(), 0);
    }

    /**
     * {@code into[at + k * LANES + i] = from[start + i * lane + 4 * k]}, i below 16, k below depth;
     * the last {@link #SPARE} of {@code into} are overwritten.
     */
    static void lanes(MemorySegment from, long start, long lane, int depth, float[] into, int at) {
        int spare = into.length - SPARE;
        int k = 0;
        for (; k + 16 <= depth; k += SOME) {
            int some = Math.min(SOME, (depth - k) / 16 * 16);
            for (int q = 0; q < 4; q++) {
                quad(from, start + 4L * k + 4L * q * lane, lane, some, into, spare + q * QUAD);
            }
            join(into, spare, some, at + k * LANES);
        }
        for (k = depth / 16 * 16; k < depth; k++) {
            for (int i = 0; i < 16; i++) {
                into[at + k * LANES + i] = from.get(FLOAT, start + i * lane + 4L * k);
            }
        }
    }

    /** {@code into[at + k * 4 + i]} is element k of row i of four. */
    private static void quad(
            MemorySegment from, long start, long lane, int depth, float[] into, int at) {
        IntVector low = LOW, high = HIGH, lowPairs = LOW_PAIRS, highPairs = HIGH_PAIRS;
        for (int k = 0; k < depth; k += 16) {
            long p = start + 4L * k;
            var x0 = IntVector.fromMemorySegment(SPECIES, from, p, ORDER);
            var x1 = IntVector.fromMemorySegment(SPECIES, from, p + lane, ORDER);
            var x2 = IntVector.fromMemorySegment(SPECIES, from, p + 2 * lane, ORDER);
            var x3 = IntVector.fromMemorySegment(SPECIES, from, p + 3 * lane, ORDER);
            var a = low.selectFrom(x0, x1);
            var b = low.selectFrom(x2, x3);
            lowPairs.selectFrom(a, b).reinterpretAsFloats().intoArray(into, at + 4 * k);
            highPairs.selectFrom(a, b).reinterpretAsFloats().intoArray(into, at + 4 * k + 16);
            a = high.selectFrom(x0, x1);
            b = high.selectFrom(x2, x3);
            lowPairs.selectFrom(a, b).reinterpretAsFloats().intoArray(into, at + 4 * k + 32);
            highPairs.selectFrom(a, b).reinterpretAsFloats().intoArray(into, at + 4 * k + 48);
        }
    }

    /** Four quads, side by side. */
    private static void join(float[] x, int quads, int depth, int at) {
        IntVector low = LOW_QUADS, high = HIGH_QUADS, first = FIRST, second = SECOND;
        for (int k = 0; k < depth; k += 4) {
            int q = quads + 4 * k;
            int to = at + k * LANES;
            var x0 = FloatVector.fromArray(FLOATS, x, q).reinterpretAsInts();
            var x1 = FloatVector.fromArray(FLOATS, x, q + QUAD).reinterpretAsInts();
            var x2 = FloatVector.fromArray(FLOATS, x, q + 2 * QUAD).reinterpretAsInts();
            var x3 = FloatVector.fromArray(FLOATS, x, q + 3 * QUAD).reinterpretAsInts();
            var a = low.selectFrom(x0, x1);
            var b = low.selectFrom(x2, x3);
            first.selectFrom(a, b).reinterpretAsFloats().intoArray(x, to);
            second.selectFrom(a, b).reinterpretAsFloats().intoArray(x, to + LANES);
            a = high.selectFrom(x0, x1);
            b = high.selectFrom(x2, x3);
            first.selectFrom(a, b).reinterpretAsFloats().intoArray(x, to + 2 * LANES);
            second.selectFrom(a, b).reinterpretAsFloats().intoArray(x, to + 3 * LANES);
        }
    }
}
