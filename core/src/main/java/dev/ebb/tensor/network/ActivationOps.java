package dev.ebb.tensor.network;

import dev.ebb.tensor.Tensor;

/** Activations of networks, element by element. */
public interface ActivationOps {

    private Tensor self() {
        return (Tensor) this;
    }

    default Tensor relu() {
        return self().apply(new Activations.Relu());
    }

    /** {@link #relu}, at most 6. */
    default Tensor relu6() {
        return self().apply(new Activations.Relu6());
    }

    default Tensor leakyRelu(double slope) {
        return self().apply(new Activations.LeakyRelu(slope));
    }

    default Tensor elu(double alpha) {
        return self().apply(new Activations.Elu(alpha));
    }

    /**
     * {@link #elu} with the constants of Klambauer et al. (2017), which keep mean 0 and variance 1.
     */
    default Tensor selu() {
        return elu(1.6732632423543772).mul(1.0507009873554805);
    }

    /** 1 / (1 + exp(-x)), without overflow. */
    default Tensor sigmoid() {
        return self().apply(new Activations.Sigmoid());
    }

    /** The logarithm of {@link #sigmoid}, without underflow. */
    default Tensor logSigmoid() {
        return self().neg().softplus().neg();
    }

    /** log(1 + exp(x)), without overflow. */
    default Tensor softplus() {
        return self().apply(new Activations.Softplus());
    }

    /** {@code x * sigmoid(x)}. */
    default Tensor silu() {
        return self().apply(new Activations.Silu());
    }

    /** {@code x * tanh(softplus(x))}. */
    default Tensor mish() {
        return self().apply(new Activations.Mish());
    }

    /** {@code x} times the normal distribution function. */
    default Tensor gelu() {
        return self().apply(new Activations.Gelu());
    }

    /** The approximation of {@link #gelu} by a hyperbolic tangent. */
    default Tensor geluTanh() {
        return self().apply(new Activations.GeluTanh());
    }

    /** {@code x * relu6(x + 3) / 6}. */
    default Tensor hardswish() {
        return self().apply(new Activations.Hardswish());
    }

    /** {@code relu6(x + 3) / 6}. */
    default Tensor hardsigmoid() {
        return self().add(3).relu6().div(6);
    }

    /** {@code x / (1 + |x|)}. */
    default Tensor softsign() {
        return self().apply(new Activations.Softsign());
    }
}
