package dev.ebb.tensor;

/**
 * An op that adds nothing to the cotangents of its operands: its value is piecewise constant, it
 * reads no floats, or stopping cotangents is its purpose.
 */
public interface ZeroDerivative extends Differentiable {
    @Override
    default void vjp(Rule rule) {}
}
