package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

/** {@code x weight + bias}, with the weight as [inputs, outputs]. */
public record Linear(Tensor weight, Tensor bias) implements Dense {

    public static Linear of(int inputs, int outputs, Seed seed) {
        return of(inputs, outputs, Init.linear(inputs), seed);
    }

    /** Weights drawn by {@code init}, biases zero. */
    public static Linear of(int inputs, int outputs, Init init, Seed seed) {
        return new Linear(
                init.of(Shape.of(inputs, outputs), seed.of("weight")),
                Init.zeros().of(Shape.of(outputs), seed.of("bias")));
    }

    @Override
    public Tensor apply(Tensor x) {
        return x.matmul(weight).add(bias);
    }
}
