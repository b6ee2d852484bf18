package dev.ebb.tensor.network;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;

import java.util.List;

/** Mean and variance along axes, which are kept with size one. */
public record Moments(Tensor mean, Tensor variance) {

    public static DType wide(Tensor x) {
        return x.dtype().isFloat() ? x.dtype().compute() : x.dtype();
    }

    static Moments of(Tensor x, List<Integer> axes) {
        var wide = x.cast(wide(x));
        var mean = wide.mean(axes, true);
        return new Moments(mean, wide.sub(mean).square().mean(axes, true));
    }

    /** {@code (x - mean) / sqrt(variance + epsilon)}. */
    Tensor normalized(Tensor x, double epsilon) {
        var centred = x.cast(mean.dtype()).sub(mean);
        return centred.mul(reciprocalRoot(variance, epsilon)).cast(x.dtype());
    }

    static Tensor reciprocalRoot(Tensor variance, double epsilon) {
        return variance.literal(1).div(variance.add(epsilon).sqrt());
    }
}
