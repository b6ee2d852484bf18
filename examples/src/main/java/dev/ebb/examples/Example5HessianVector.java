package dev.ebb.examples;

import dev.ebb.Ebb;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/** Curvature along a direction, without a Hessian. */
public final class Example5HessianVector {
    private Example5HessianVector() {}

    public static void main(String[] args) {
        System.out.println(curvature());
    }

    // [hessian-vector
    /** Rosenbrock's valley, {@code (1 - a)^2 + 100 (b - a^2)^2}. */
    static Tensor valley(Tensor x) {
        var a = x.slice(0, 0, 1);
        var b = x.slice(0, 1, 2);
        return a.neg().add(1).square().add(b.sub(a.square()).square().mul(100)).sum();
    }

    static Tensor curvature() {
        var point = Array.of(1.0, 1.0);
        var direction = Array.of(1.0, 0.0);
        return Ebb.hvp(Example5HessianVector::valley).apply(point, direction);
    }
    // hessian-vector]
}
