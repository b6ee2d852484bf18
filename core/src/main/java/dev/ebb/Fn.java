package dev.ebb;

/**
 * A differentiable function of one argument: a tensor, or a record, list or map of tensors, nested
 * as you like.
 */
@FunctionalInterface
public interface Fn<P, R> {
    R apply(P argument);
}
