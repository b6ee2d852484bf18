package dev.ebb;

/** A differentiable function of three arguments; derivatives are taken by the first. */
@FunctionalInterface
public interface Fn3<P, Q, S, R> {
    R apply(P first, Q second, S third);
}
