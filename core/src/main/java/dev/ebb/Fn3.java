package dev.ebb;

/**
 * A differentiable function of three arguments; by default derivatives are taken with respect to
 * the first.
 */
@FunctionalInterface
public interface Fn3<P, Q, S, R> {
    R apply(P first, Q second, S third);
}
