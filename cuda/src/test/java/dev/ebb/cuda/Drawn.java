package dev.ebb.cuda;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.Init;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;

import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Random weights, generated on all cores; the seed depends on the shape and a counter. */
final class Drawn implements Init {
    private long count;

    @Override
    public Array of(Shape shape, Seed seed) {
        return of(shape, 0.07);
    }

    /** Uniform between plus and minus half of {@code width}. */
    Array of(Shape shape, double width) {
        long own = ++count;
        return Array.make(
                new Type(DType.F32, shape),
                buffer -> {
                    long chunk = 1 << 16;
                    LongStream.range(0, Math.ceilDiv(shape.size(), chunk))
                            .parallel()
                            .forEach(
                                    c -> {
                                        var random = new SplittableRandom(own << 32 | c);
                                        long end = Math.min(shape.size(), (c + 1) * chunk);
                                        for (long i = c * chunk; i < end; i++)
                                            buffer.set(i, width * (random.nextDouble() - 0.5));
                                    });
                });
    }
}
