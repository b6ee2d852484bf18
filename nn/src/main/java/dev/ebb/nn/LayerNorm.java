package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/**
 * Layer norm: rows of the last axis normalised to mean zero and variance one, then scaled and
 * shifted.
 */
public record LayerNorm(Tensor weight, Tensor bias, double epsilon) implements Norm {

    public static LayerNorm of(int width, double epsilon) {
        var shape = Shape.of(width);
        return new LayerNorm(ConstantArrays.ones(shape), ConstantArrays.zeros(shape), epsilon);
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.layerNorm(weight, bias, epsilon);
    }
}
