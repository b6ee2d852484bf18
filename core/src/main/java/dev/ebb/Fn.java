package dev.ebb;

/**
 * A differentiable function of one argument: a tensor, or a record, list or map of tensors, nested
 * at will.
 */
@FunctionalInterface
public interface Fn<P, R> {
    R apply(P argument);
}
