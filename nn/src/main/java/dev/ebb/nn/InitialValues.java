package dev.ebb.nn;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Computes the values of {@link Init} a chunk at a time, on all processors. An element depends on
 * the seed and its number alone, so chunks and processors do not change a bit.
 */
final class InitialValues {
    private static final int CHUNK = 1 << 14;

    private InitialValues() {}

    /** Computes consecutive elements, the first of which has the given number. */
    private interface Chunk {
        void fill(long first, float[] elements);
    }

    static Array constant(Shape shape, double value) {
        return filled(shape, (_, elements) -> Arrays.fill(elements, (float) value));
    }

    static Array uniform(Shape shape, Seed seed, double bound) {
        return filled(
                shape,
                (first, elements) -> {
                    var draws = new int[elements.length];
                    seed.fillBits(first, draws);
                    for (int i = 0; i < draws.length; i++)
                        elements[i] = (float) (bound * (2 * Seed.uniformOf(draws[i]) - 1));
                });
    }

    static Array normal(Shape shape, Seed seed, double deviation) {
        return filled(
                shape,
                (first, elements) -> {
                    var draws = new int[2 * elements.length];
                    seed.fillBits(2 * first, draws);
                    for (int i = 0; i < elements.length; i++) {
                        double normal = Seed.normalOf(draws[2 * i], draws[2 * i + 1]);
                        elements[i] = (float) (deviation * normal);
                    }
                });
    }

    private static Array filled(Shape shape, Chunk chunk) {
        long size = shape.size();
        return Array.make(
                new Type(DType.F32, shape),
                buffer ->
                        LongStream.range(0, Math.ceilDiv(size, CHUNK))
                                .parallel()
                                .forEach(c -> fill(chunk, c * CHUNK, size, buffer.segment())));
    }

    private static void fill(Chunk chunk, long first, long size, MemorySegment to) {
        var elements = new float[(int) Math.min(CHUNK, size - first)];
        chunk.fill(first, elements);
        var layout = ValueLayout.JAVA_FLOAT_UNALIGNED;
        MemorySegment.copy(elements, 0, to, layout, first * Float.BYTES, elements.length);
    }
}
