package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/** Rows of the last axis divided by their root mean square, then scaled. */
public record RmsNorm(Tensor weight, double epsilon) implements Norm {

    public static RmsNorm of(int width, double epsilon) {
        return new RmsNorm(Start.ones(Shape.of(width)), epsilon);
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.rmsNorm(weight, epsilon);
    }
}
