package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/**
 * Rows of the last axis divided by their root mean square, then scaled.
 *
 * @param offset what is added to the weight before it scales: zero, or one for Gemma
 */
public record RmsNorm(Tensor weight, double epsilon, double offset) implements Norm {

    public RmsNorm(Tensor weight, double epsilon) {
        this(weight, epsilon, 0);
    }

    public static RmsNorm of(int width, double epsilon) {
        return new RmsNorm(Start.ones(Shape.of(width)), epsilon);
    }

    /** As Gemma has it: the weight is kept without one, and starts at zero. */
    public static RmsNorm fromOne(int width, double epsilon) {
        return new RmsNorm(Start.zeros(Shape.of(width)), epsilon, 1);
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.rmsNorm(offset == 0 ? weight : weight.add(offset), epsilon);
    }
}
