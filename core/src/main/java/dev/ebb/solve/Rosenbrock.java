package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/**
 * A solver for stiff equations {@code dy/dt = f(t, y)} of a vector: the Rosenbrock method Rodas3 of
 * Sandu and others ("Benchmarking stiff ODE solvers for atmospheric chemistry problems II", 1997),
 * of order three with an estimate of order two, L-stable. A step solves four linear systems with
 * one matrix, made of the Jacobian of {@code f}, and no nonlinear one. It chooses its own steps; as
 * in {@link DormandPrince} the derivative is that of the steps taken, exact for them, and how many
 * states are kept for it is a matter of the budget. Derivatives of {@code f} of one order more than
 * asked for are used.
 *
 * @param limit steps, refused ones included, after which it gives up
 */
public record Rosenbrock(double relative, double absolute, int limit) {
    private static final double GAMMA = 0.5;
    private static final double[][] A = {{}, {0}, {2, 0}, {2, 0, 1}};
    private static final double[][] C = {{}, {4}, {1, -1}, {1, -1, -8.0 / 3}};
    private static final double[] TIMES = {0, 0, 1, 1};
    private static final double[] TIME_SLOPES = {0.5, 1.5, 0, 0};
    private static final double[] RESULT = {2, 0, 1, 1};
    private static final double SAFETY = 0.9;
    private static final double LEAST_FACTOR = 0.2;
    private static final double MOST_FACTOR = 5;
    private static final double FIRST_SHARE = 1e-4;

    public Rosenbrock {
        Settings.tolerances(relative, absolute);
    }

    private record Carry(Tensor left, Tensor step, Tensor y, Tensor counts) {}

    /** A state after a step, and an estimate of the step's error. */
    record Step(Tensor y, Tensor error) {}

    /** The state at {@code to}, from the vector {@code first} at {@code from}. */
    public DormandPrince.Solution<Tensor> solve(
            Fn2<Tensor, Tensor, Tensor> f, Tensor first, double from, double to) {
        if (first.rank() != 1) {
            throw new ShapeException(
                    "Rosenbrock solves for a vector, not for " + first.type() + "; reshape it");
        }
        var time = new Type(Combination.type(first), Shape.scalar());
        double span = Math.abs(to - from);
        double sign = Math.signum(to - from);
        var start =
                new Carry(
                        Tensors.fill(time, span),
                        Tensors.fill(time, span * FIRST_SHARE),
                        first,
                        Tensors.zeros(DType.I64, Shape.of(2)));
        var last = Loop.whileTrue(limit, start, c -> c.left().gt(0), c -> advance(f, c, to, sign));
        return new DormandPrince.Solution<>(
                last.y(), last.counts().at(0, 0), last.counts().at(0, 1));
    }

    private Carry advance(Fn2<Tensor, Tensor, Tensor> f, Carry c, double to, double sign) {
        var size = c.step().minimum(c.left());
        var t = c.left().mul(-sign).add(to);
        var next = step(f, t, c.y(), size.mul(sign));
        var scale = c.y().abs().maximum(next.y().abs()).mul(relative).add(absolute);
        var error = next.error().div(scale).square().mean().sqrt().detach();
        var taken = error.le(1);
        var growth = error.maximum(1e-10).pow(-1.0 / 3).mul(SAFETY);
        var factor =
                Tensors.where(
                        error.isNan(),
                        error.literal(LEAST_FACTOR),
                        growth.clamp(LEAST_FACTOR, MOST_FACTOR));
        var one = Tensors.stack(List.of(taken, taken.not()), 0).cast(DType.I64);
        return new Carry(
                Tensors.where(taken, c.left().sub(size), c.left()),
                size.mul(factor),
                Tensors.where(taken, next.y(), c.y()),
                c.counts().add(one));
    }

    static Step step(Fn2<Tensor, Tensor, Tensor> f, Tensor t, Tensor y, Tensor h) {
        var jacobian = Ebb.jacobian((Tensor x) -> f.apply(t, x)).apply(y);
        var byTime =
                Ebb.jvp((Tensor s) -> f.apply(s, y)).apply(t, Tensors.fill(t.type(), 1)).tangent();
        var one = Tensors.eye(y.dtype(), y.dim(0));
        var matrix = one.div(h.mul(GAMMA)).sub(jacobian);
        var stages = new ArrayList<Tensor>();
        for (int i = 0; i < A.length; i++) {
            var at = Combination.of(y, stages, A[i]);
            var right = f.apply(t.add(h.mul(TIMES[i])), at).add(byTime.mul(h.mul(TIME_SLOPES[i])));
            for (int j = 0; j < i; j++) right = right.add(stages.get(j).mul(C[i][j]).div(h));
            stages.add(matrix.solve(right));
        }
        return new Step(Combination.of(y, stages, RESULT), stages.getLast());
    }
}
