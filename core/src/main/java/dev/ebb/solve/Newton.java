package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * A root of as many equations as unknowns, {@code f(x, parameters) = 0}, by Newton's method with
 * the whole Jacobian. The derivative by the parameters is that of the implicit function theorem,
 * {@code -df/dp^T v} with {@code df/dx^T v = dx}: it keeps the root alone, does not depend on where
 * the search began, and has derivatives itself. What {@code f} closes over has none.
 *
 * @param tolerance the iterations end when no element moves by more
 * @param limit more iterations than this are an error
 */
public record Newton(double tolerance, int limit) {

    public Newton {
        Settings.check("Newton's method", tolerance, limit);
    }

    private record From<P>(P parameters, Tensor start) {}

    private record Iteration(Tensor x, Tensor moved) {}

    /**
     * The root that the iteration reaches from {@code start}; the value of {@code f} has as many
     * elements as {@code start}.
     */
    public <P> Tensor solve(Fn2<Tensor, P, Tensor> f, Tensor start, P parameters) {
        return Ebb.custom(
                        (From<P> from) -> iterate(x -> f.apply(x, from.parameters), from.start),
                        (from, x, dx) -> {
                            var p = from.parameters;
                            var v = jacobian(t -> f.apply(t, p), x).transpose().solve(flat(dx));
                            var residual = f.apply(x, p);
                            var seed = v.neg().reshape(residual.shape());
                            var dp = Ebb.vjp((P q) -> f.apply(x, q)).apply(p, seed).cotangent();
                            return new From<>(dp, Tensors.fill(x.type(), 0));
                        })
                .apply(new From<>(parameters, start));
    }

    private Tensor iterate(Fn<Tensor, Tensor> f, Tensor start) {
        var far = Tensors.fill(Type.of(start.dtype()), Double.POSITIVE_INFINITY);
        return Loop.whileTrue(
                        limit,
                        new Iteration(start, far),
                        r -> r.moved().gt(tolerance),
                        r -> {
                            var step = jacobian(f, r.x()).solve(flat(f.apply(r.x())));
                            var next = r.x().sub(step.reshape(r.x().shape()));
                            return new Iteration(next, step.abs().amax());
                        })
                .x();
    }

    private static Tensor flat(Tensor x) {
        return x.reshape(-1);
    }

    private static Tensor jacobian(Fn<Tensor, Tensor> f, Tensor x) {
        int n = Math.toIntExact(x.type().size());
        return Ebb.jacobian(f).apply(x).reshape(-1, n);
    }
}
