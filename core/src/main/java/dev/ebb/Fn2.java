package dev.ebb;

/** A differentiable function of two arguments; derivatives are taken by the first. */
@FunctionalInterface
public interface Fn2<P, Q, R> {
    R apply(P first, Q second);
}
