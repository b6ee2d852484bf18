package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/** {@code x weight}, with the weight as [inputs, outputs] and no bias. */
public record Projection(Tensor weight) implements Dense {

    public static Projection of(int inputs, int outputs, Init init, Seed seed) {
        return new Projection(init.of(Shape.of(inputs, outputs), seed.of("weight")));
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.matmul(weight);
    }
}
