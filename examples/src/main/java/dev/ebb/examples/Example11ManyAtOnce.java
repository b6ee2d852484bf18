package dev.ebb.examples;

import dev.ebb.By;
import dev.ebb.Ebb;
import dev.ebb.plan.Budget;
import dev.ebb.solve.FixedPoint;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

/** A function mapped along an axis, Jacobians, and functions with custom derivatives. */
public final class Example11ManyAtOnce {
    private Example11ManyAtOnce() {}

    public static void main(String[] args) {
        var weights = Array.of(0.5f, -1f, 2f);
        var examples = Array.of(new float[][] {{1, 2, 3}, {4, 5, 6}});
        System.out.println(eachGradient(weights, examples));
        System.out.println(jacobian(weights));
        System.out.println(Ebb.grad(Example11ManyAtOnce::clipped).apply(weights));
        System.out.println(Ebb.grad(Example11ManyAtOnce::settled).apply(weights));
    }

    // [each-gradient
    static Tensor loss(Tensor weights, Tensor example) {
        return weights.mul(example).sum().tanh().square();
    }

    /** One gradient for each row of {@code examples}. */
    static Tensor eachGradient(Tensor weights, Tensor examples) {
        var each = Ebb.vmap(Ebb.grad(Example11ManyAtOnce::loss), By.second());
        try (var compiled = Ebb.compile(each)) {
            return compiled.apply(weights, examples);
        }
    }

    // each-gradient]

    // [jacobian
    static Tensor jacobian(Tensor x) {
        var budget = Budget.of("64KiB");
        try (var all = Ebb.compile(Ebb.jacobian((Tensor t) -> t.cumsum(0).sin())).within(budget)) {
            return all.apply(x);
        }
    }

    // jacobian]

    // [custom
    /** The sum, whose gradient is clipped to [-1, 1] in the backward pass. */
    static Tensor clipped(Tensor x) {
        var gate = Ebb.custom((Tensor t) -> t, (_, _, d) -> d.clamp(-1, 1));
        return gate.apply(x).mul(3).sum();
    }

    /** The fixed point of {@code cos(p x) / 2}, differentiated without reversing the iteration. */
    static Tensor settled(Tensor p) {
        return new FixedPoint(1e-6, 100)
                .solve((Tensor x, Tensor q) -> x.mul(q).cos().mul(0.5), p.mul(0), p)
                .sum();
    }
    // custom]
}
