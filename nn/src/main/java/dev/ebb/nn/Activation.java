package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** The nonlinear function between two dense layers. */
public enum Activation implements Fn<Tensor, Tensor> {
    RELU,
    GELU,
    GELU_TANH,
    SILU,
    TANH;

    @Override
    public Tensor apply(Tensor x) {
        return switch (this) {
            case RELU -> x.relu();
            case GELU -> x.gelu();
            case GELU_TANH -> x.geluTanh();
            case SILU -> x.silu();
            case TANH -> x.tanh();
        };
    }
}
