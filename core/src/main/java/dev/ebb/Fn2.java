package dev.ebb;

/**
 * A differentiable function of two arguments; by default derivatives are taken with respect to the
 * first.
 */
@FunctionalInterface
public interface Fn2<P, Q, R> {
    R apply(P first, Q second);
}
