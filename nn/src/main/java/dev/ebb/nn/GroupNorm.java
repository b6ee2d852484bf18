package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/**
 * Group norm: groups of channels (axis 1) normalised to mean zero and variance one, then scaled and
 * shifted.
 */
public record GroupNorm(Tensor weight, Tensor bias, int groups, double epsilon) implements Norm {

    public static GroupNorm of(int channels, int groups, double epsilon) {
        var shape = Shape.of(channels);
        return new GroupNorm(
                ConstantArrays.ones(shape), ConstantArrays.zeros(shape), groups, epsilon);
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.groupNorm(groups, weight, bias, epsilon);
    }
}
