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
 * Computes the values of {@link Init} in blocks, on all processors. An element depends on the seed
 * and its number alone, so neither blocks nor processors change a bit.
 */
final class InitialValues {
    /** The elements that are computed at a time, in arrays that stay in the cache. */
    private static final int BLOCK = 1 << 10;

    /** The blocks that one processor computes before it takes others. */
    private static final int BLOCKS = 1 << 6;

    private InitialValues() {}

    /** Computes the elements of a block from its draws, the same number for each element. */
    private interface Block {
        void fill(int[] draws, float[] elements);
    }

    static Array constant(Shape shape, double value) {
        return filled(shape, new Seed(0), 0, (_, elements) -> Arrays.fill(elements, (float) value));
    }

    static Array uniform(Shape shape, Seed seed, double bound) {
        return filled(
                shape,
                seed,
                1,
                (draws, elements) -> {
                    for (int i = 0; i < elements.length; i++)
                        elements[i] = (float) (bound * (2 * Seed.uniformOf(draws[i]) - 1));
                });
    }

    static Array normal(Shape shape, Seed seed, double deviation) {
        return filled(
                shape,
                seed,
                2,
                (draws, elements) -> {
                    for (int i = 0; i < elements.length; i++) {
                        double normal = Seed.normalOf(draws[2 * i], draws[2 * i + 1]);
                        elements[i] = (float) (deviation * normal);
                    }
                });
    }

    private static Array filled(Shape shape, Seed seed, int drawsEach, Block block) {
        long size = shape.size();
        long part = (long) BLOCK * BLOCKS;
        return Array.make(
                new Type(DType.F32, shape),
                buffer ->
                        LongStream.range(0, Math.ceilDiv(size, part))
                                .parallel()
                                .forEach(
                                        p -> {
                                            long end = Math.min(size, (p + 1) * part);
                                            var to = buffer.segment();
                                            fill(p * part, end, to, seed, drawsEach, block);
                                        }));
    }

    private static void fill(
            long from, long end, MemorySegment to, Seed seed, int drawsEach, Block block) {
        var draws = new int[drawsEach * BLOCK];
        var elements = new float[BLOCK];
        for (long first = from; first < end; first += BLOCK) {
            seed.fillBits(drawsEach * first, draws);
            block.fill(draws, elements);
            int count = (int) Math.min(BLOCK, end - first);
            var layout = ValueLayout.JAVA_FLOAT_UNALIGNED;
            MemorySegment.copy(elements, 0, to, layout, first * Float.BYTES, count);
        }
    }
}
