package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/**
 * RMS norm: rows of the last axis divided by their root mean square, then scaled.
 *
 * @param offset added to the weight before scaling: zero, or one for Gemma
 */
public record RmsNorm(Tensor weight, double epsilon, double offset) implements Norm {

    public RmsNorm(Tensor weight, double epsilon) {
        this(weight, epsilon, 0);
    }

    public static RmsNorm of(int width, double epsilon) {
        return new RmsNorm(ConstantArrays.ones(Shape.of(width)), epsilon);
    }

    /** A norm as in Gemma, whose scale is one plus the weight, which starts at zero. */
    public static RmsNorm fromOne(int width, double epsilon) {
        return new RmsNorm(ConstantArrays.zeros(Shape.of(width)), epsilon, 1);
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.rmsNorm(offset == 0 ? weight : weight.add(offset), epsilon);
    }
}
