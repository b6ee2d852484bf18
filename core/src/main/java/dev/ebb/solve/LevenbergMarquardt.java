package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.science.MatrixFunctions;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/**
 * The {@code x} that makes the sum of squares of {@code residuals(x, parameters)} least, by the
 * method of Levenberg and Marquardt: steps of the linearised problem, damped in proportion to the
 * columns of the Jacobian, more after a step that did not help and less after one that did. Each
 * step is a least-squares problem solved by QR, so that ill-conditioned ones keep their digits. The
 * derivative by the parameters is that of the implicit function theorem with the whole Hessian, so
 * it is exact also where residuals stay large. What {@code residuals} closes over has none.
 *
 * @param tolerance the iterations end when no element would move by more
 * @param limit more iterations than this are an error
 */
public record LevenbergMarquardt(double tolerance, int limit) {
    private static final double FIRST_DAMPING = 1e-3;
    private static final double MORE = 8;
    private static final double LESS = 0.1;
    private static final double LEAST_COLUMN = 1e-8;

    public LevenbergMarquardt {
        Settings.check("a least-squares fit", tolerance, limit);
    }

    private record From<P>(P parameters, Tensor start) {}

    private record Iteration(Tensor x, Tensor cost, Tensor damping, Tensor moved) {}

    /**
     * The fit that the iteration reaches from the vector {@code start}; the residuals are a vector.
     */
    public <P> Tensor fit(Fn2<Tensor, P, Tensor> residuals, Tensor start, P parameters) {
        Fn2<Tensor, P, Tensor> cost = (x, p) -> residuals.apply(x, p).square().sum().mul(0.5);
        return Ebb.custom(
                        (From<P> from) ->
                                search(x -> residuals.apply(x, from.parameters), from.start),
                        (from, x, dx) -> {
                            var p = from.parameters;
                            var hessian = Ebb.hessian(t -> cost.apply(t, p)).apply(x);
                            var v = hessian.solve(dx).neg();
                            Fn<P, Tensor> slope =
                                    q -> Ebb.grad((Tensor t) -> cost.apply(t, q)).apply(x);
                            var dp = Ebb.vjp(slope).apply(p, v).cotangent();
                            return new From<>(dp, Tensors.fill(x.type(), 0));
                        })
                .apply(new From<>(parameters, start));
    }

    private static Tensor cost(Tensor residuals) {
        return residuals.square().sum();
    }

    private Tensor search(Fn<Tensor, Tensor> residuals, Tensor start) {
        var number = Type.of(start.dtype());
        double noise = start.dtype() == DType.F64 ? 0x1p-48 : 0x1p-20;
        var first =
                new Iteration(
                        start,
                        cost(residuals.apply(start)),
                        Tensors.fill(number, FIRST_DAMPING),
                        Tensors.fill(number, Double.POSITIVE_INFINITY));
        return Loop.whileTrue(
                        limit,
                        first,
                        r -> r.moved().gt(tolerance),
                        r -> {
                            var step = step(residuals, r);
                            var x = r.x().add(step);
                            var cost = cost(residuals.apply(x));
                            // the gain of the last steps is smaller than the rounding error
                            var better = cost.le(r.cost().mul(1 + noise));
                            return new Iteration(
                                    Tensors.where(better, x, r.x()),
                                    Tensors.where(better, cost, r.cost()),
                                    r.damping()
                                            .mul(
                                                    Tensors.where(
                                                            better,
                                                            cost.literal(LESS),
                                                            cost.literal(MORE))),
                                    step.abs().amax());
                        })
                .x();
    }

    private static Tensor step(Fn<Tensor, Tensor> residuals, Iteration r) {
        var jacobian = Ebb.jacobian(residuals).apply(r.x());
        var sizes = jacobian.square().sum(0).sqrt();
        var least = sizes.amax().mul(LEAST_COLUMN);
        var damped = sizes.maximum(least).mul(r.damping().sqrt()).diag();
        var whole = Tensors.concat(List.of(jacobian, damped), 0);
        var right = residuals.apply(r.x()).neg();
        var all = Tensors.concat(List.of(right, r.x().mul(0)), 0);
        return MatrixFunctions.leastSquares(whole, all);
    }
}
