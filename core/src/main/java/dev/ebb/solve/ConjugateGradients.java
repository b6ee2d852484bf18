package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * x with {@code A x = b} for a symmetric positive definite map that is given by what it does to a
 * vector, {@code apply(x, parameters)}: a sparse product, a Hessian-vector product. The method of
 * Hestenes and Stiefel, 1952. The derivative solves with the same map, {@code A v = dx}, by the
 * implicit function theorem, and keeps x alone. Derivatives of higher order go through the
 * iterations of that second solve. What {@code apply} closes over has none.
 *
 * @param tolerance the iterations end when what is left of b has shrunk by this factor
 * @param limit the iterations also end after this number; with rounding, more than the size may be
 *     needed
 */
public record ConjugateGradients(double tolerance, int limit) {

    public ConjugateGradients {
        Settings.check("the method of conjugate gradients", tolerance, limit);
    }

    private record From<P>(P parameters, Tensor b) {}

    private record Iteration(Tensor x, Tensor rest, Tensor direction, Tensor size, Tensor count) {}

    /** The solution, of the shape of {@code b}. */
    public <P> Tensor solve(Fn2<Tensor, P, Tensor> apply, Tensor b, P parameters) {
        return Ebb.custom(
                        (From<P> from) -> iterate(x -> apply.apply(x, from.parameters), from.b),
                        (from, x, dx) -> {
                            var p = from.parameters;
                            var v = iterate(u -> apply.apply(u, p), dx);
                            Fn<P, Tensor> image = q -> apply.apply(x, q);
                            var dp = Ebb.vjp(image).apply(p, v.neg()).cotangent();
                            return new From<>(dp, v);
                        })
                .apply(new From<>(parameters, b));
    }

    private Tensor iterate(Fn<Tensor, Tensor> apply, Tensor b) {
        var first = b.square().sum();
        var start = new Iteration(b.mul(0), b, b, first, Tensors.zeros(DType.I64, Shape.scalar()));
        var goal = first.mul(tolerance * tolerance);
        return Loop.whileTrue(
                        limit + 1,
                        start,
                        r -> r.size.gt(goal).and(r.count.lt(limit)),
                        r -> {
                            var image = apply.apply(r.direction);
                            var length = r.size.div(r.direction.mul(image).sum());
                            var rest = r.rest.sub(image.mul(length));
                            var size = rest.square().sum();
                            return new Iteration(
                                    r.x.add(r.direction.mul(length)),
                                    rest,
                                    rest.add(r.direction.mul(size.div(r.size))),
                                    size,
                                    r.count.add(1));
                        })
                .x();
    }
}
