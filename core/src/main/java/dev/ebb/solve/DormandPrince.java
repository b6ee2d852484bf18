package dev.ebb.solve;

import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.trace.Tree;

import java.util.ArrayList;
import java.util.List;

/**
 * Dormand and Prince's pair of orders five and four ("A family of embedded Runge-Kutta formulae",
 * 1980), which chooses its own steps: {@code dy/dt = f(t, y)} with the local error of each step
 * below {@code absolute + relative * |y|}. A loop of unknown length in the graph. The derivative is
 * that of the steps taken: how their sizes depend on the argument is left out, since it says
 * something of the method and nothing of the equation.
 *
 * @param limit steps, refused ones included, after which it gives up
 */
public record DormandPrince(double relative, double absolute, int limit) {
    private static final double[][] A = {
        {},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}
    };
    private static final double[] C = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
    private static final double[] ERROR = {
        71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40
    };
    private static final double SAFETY = 0.9;
    private static final double LEAST_FACTOR = 0.2;
    private static final double MOST_FACTOR = 5;
    private static final double FIRST_SHARE = 0.01;

    public DormandPrince {
        Settings.tolerances(relative, absolute);
    }

    /** Tolerances of 1e-6, and at most 100,000 steps. */
    public static DormandPrince standard() {
        return new DormandPrince(1e-6, 1e-6, 100_000);
    }

    /** The last state, and the numbers of accepted and rejected steps. */
    public record Solution<S>(S y, Tensor accepted, Tensor refused) {}

    /** The state of the loop; {@code left} is the remaining time, which ends at exactly 0. */
    record Carry<S>(Tensor left, Tensor step, S y, S slope, Tensor counts) {}

    /** The state at {@code to}, from {@code first} at {@code from}. */
    public <S> Solution<S> solve(Fn2<Tensor, S, S> f, S first, double from, double to) {
        double sign = Math.signum(to - from);
        var start = start(f, first, from, to);
        var last = Loop.whileTrue(limit, start, c -> c.left().gt(0), c -> step(f, c, to, sign));
        return new Solution<>(last.y(), last.counts().at(0, 0), last.counts().at(0, 1));
    }

    /**
     * When {@code event} of time and state passes through zero, and the state then.
     *
     * @param happened whether it did before the end; if not, time and state are those of the end
     */
    public record Arrival<S>(Tensor time, S y, Tensor happened) {}

    /**
     * Follows the equation until {@code event}, one number, passes through zero, or to the end. The
     * event is looked for at the ends of steps, so two of them within one step go unseen. Gradients
     * flow through the time of the event, to the first order: by the implicit function theorem it
     * moves so that the event stays zero.
     */
    public <S> Arrival<S> until(
            Fn2<Tensor, S, Tensor> event, Fn2<Tensor, S, S> f, S first, double from, double to) {
        return new EventSearch<>(this, event, f, to, Math.signum(to - from))
                .run(start(f, first, from, to), limit);
    }

    private static <S> Carry<S> start(Fn2<Tensor, S, S> f, S first, double from, double to) {
        var time = new Type(Combination.type(first), Shape.scalar());
        double span = Math.abs(to - from);
        return new Carry<>(
                Tensors.fill(time, span),
                Tensors.fill(time, span * FIRST_SHARE),
                first,
                f.apply(Tensors.fill(time, from), first),
                Tensors.zeros(DType.I64, Shape.of(2)));
    }

    <S> Carry<S> step(Fn2<Tensor, S, S> f, Carry<S> c, double to, double sign) {
        var size = c.step().minimum(c.left());
        var h = size.mul(sign);
        var t = c.left().mul(-sign).add(to);
        var slopes = slopes(f, t, c.y(), c.slope(), h);
        var next = end(c.y(), h, slopes);
        var error = error(h, c.y(), next, slopes);
        var taken = error.le(1);
        var factor = error.maximum(1e-10).pow(-0.2).mul(SAFETY).clamp(LEAST_FACTOR, MOST_FACTOR);
        var one = Tensors.stack(List.of(taken, taken.not()), 0).cast(DType.I64);
        return new Carry<>(
                Tensors.where(taken, c.left().sub(size), c.left()),
                size.mul(factor),
                choose(taken, next, c.y()),
                choose(taken, slopes.getLast(), c.slope()),
                c.counts().add(one));
    }

    /** The slopes of a step of size {@code h}, those at its beginning and at its end included. */
    static <S> List<S> slopes(Fn2<Tensor, S, S> f, Tensor t, S y, S first, Tensor h) {
        var slopes = new ArrayList<>(List.of(first));
        for (int i = 1; i < A.length; i++) {
            slopes.add(f.apply(t.add(h.mul(C[i])), Combination.scaled(y, h, slopes, A[i])));
        }
        return slopes;
    }

    /** The state after a step with these slopes. */
    static <S> S end(S y, Tensor h, List<S> slopes) {
        var last = A[A.length - 1];
        return Combination.scaled(y, h, slopes.subList(0, last.length), last);
    }

    /** The root mean square of the estimated errors, each divided by its tolerance. */
    private <S> Tensor error(Tensor h, S before, S after, List<S> slopes) {
        var old = Tree.flatten(before);
        var now = Tree.flatten(after);
        var zero = Tree.unflatten(before, old.stream().map(t -> t.mul(0).detach()).toList());
        var errors = Tree.flatten(Combination.scaled(zero, h, slopes, ERROR));
        Tensor sum = h.literal(0);
        long count = 0;
        for (int j = 0; j < errors.size(); j++) {
            var size = old.get(j).abs().maximum(now.get(j).abs());
            sum = sum.add(errors.get(j).div(size.mul(relative).add(absolute)).square().sum());
            count += errors.get(j).type().size();
        }
        return sum.div((double) Math.max(1, count)).sqrt().detach();
    }

    static <S> S choose(Tensor taken, S yes, S no) {
        var a = Tree.flatten(yes);
        var b = Tree.flatten(no);
        var chosen = new ArrayList<Tensor>();
        for (int i = 0; i < a.size(); i++) chosen.add(Tensors.where(taken, a.get(i), b.get(i)));
        return Tree.unflatten(yes, chosen);
    }
}
