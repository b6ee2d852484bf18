package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * The point that a function maps to itself, {@code x = g(x, parameters)}, found by applying it
 * again and again. Its derivative by the parameters does not go back through the iterations: by the
 * implicit function theorem it is {@code dg/dp^T v}, where {@code v = dx + dg/dx^T v} is a fixed
 * point itself. So the gradient keeps the point alone, however many iterations it took, and does
 * not depend on where the search began.
 *
 * @param tolerance the iterations end when no element moves by more
 * @param limit more iterations than this are an error
 */
public record FixedPoint(double tolerance, int limit) {

    public FixedPoint {
        Settings.check("a fixed point", tolerance, limit);
    }

    private record From<P>(P parameters, Tensor start) {}

    private record Iteration(Tensor x, Tensor moved) {}

    /** The fixed point of {@code g} that the iteration reaches from {@code start}. */
    public <P> Tensor solve(Fn2<Tensor, P, Tensor> g, Tensor start, P parameters) {
        return Ebb.custom(
                        (From<P> from) -> iterate(x -> g.apply(x, from.parameters), from.start),
                        (from, x, dx) -> {
                            var p = from.parameters;
                            Fn<Tensor, Tensor> step = t -> g.apply(t, p);
                            var v = iterate(u -> dx.add(Ebb.vjp(step).apply(x, u).cotangent()), dx);
                            var dp = Ebb.vjp((P q) -> g.apply(x, q)).apply(p, v).cotangent();
                            return new From<>(dp, Tensors.fill(x.type(), 0));
                        })
                .apply(new From<>(parameters, start));
    }

    private Tensor iterate(Fn<Tensor, Tensor> step, Tensor start) {
        var far = Tensors.fill(Type.of(start.dtype()), Double.POSITIVE_INFINITY);
        return Loop.whileTrue(
                        limit,
                        new Iteration(start, far),
                        r -> r.moved().gt(tolerance),
                        r -> {
                            var next = step.apply(r.x());
                            return new Iteration(next, next.sub(r.x()).abs().amax());
                        })
                .x();
    }
}
