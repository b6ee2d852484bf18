package dev.ebb.nn;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.util.function.LongToDoubleFunction;
import java.util.stream.LongStream;

/**
 * The initial values of a parameter. The same seed and shape give the same bits on every machine.
 */
@FunctionalInterface
public interface Init {

    Array of(Shape shape, Seed seed);

    static Init constant(double value) {
        return (shape, _) -> filled(shape, _ -> value);
    }

    static Init zeros() {
        return constant(0);
    }

    static Init ones() {
        return constant(1);
    }

    static Init normal(double deviation) {
        return (shape, seed) -> filled(shape, i -> deviation * seed.normal(i));
    }

    static Init uniform(double bound) {
        return (shape, seed) -> filled(shape, i -> bound * (2 * seed.uniform(i) - 1));
    }

    /** Glorot and Bengio (2010): preserves the variance of both activations and gradients. */
    static Init xavierUniform(int fanIn, int fanOut) {
        return uniform(StrictMath.sqrt(6.0 / (fanIn + fanOut)));
    }

    static Init xavierNormal(int fanIn, int fanOut) {
        return normal(StrictMath.sqrt(2.0 / (fanIn + fanOut)));
    }

    /** He et al. (2015): preserves the variance of activations through rectifiers. */
    static Init heNormal(int fanIn) {
        return normal(StrictMath.sqrt(2.0 / fanIn));
    }

    static Init heUniform(int fanIn) {
        return uniform(StrictMath.sqrt(6.0 / fanIn));
    }

    /** Uniform within one over the square root of the inputs: the default of linear layers. */
    static Init linear(int fanIn) {
        return uniform(1 / StrictMath.sqrt(fanIn));
    }

    /** Computes every element separately, on all processors. */
    private static Array filled(Shape shape, LongToDoubleFunction at) {
        long size = shape.size();
        long chunk = 1 << 14;
        return Array.make(
                new Type(DType.F32, shape),
                b ->
                        LongStream.range(0, Math.ceilDiv(size, chunk))
                                .parallel()
                                .forEach(
                                        c -> {
                                            long end = Math.min(size, (c + 1) * chunk);
                                            for (long i = c * chunk; i < end; i++)
                                                b.set(i, at.applyAsDouble(i));
                                        }));
    }
}
