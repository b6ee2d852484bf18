package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * Roots of many functions of one number each, {@code f(x, parameters) = 0} element by element,
 * between bounds at which {@code f} has opposite signs. By the method of Oliveira and Takahashi
 * ("An enhancement of the bisection method average performance preserving minmax optimality",
 * 2020): hardly ever more iterations than bisection, mostly far fewer. An element without a change
 * of sign gives NaN. The derivative by the parameters is that of the implicit function theorem;
 * none flows to the bounds. What {@code f} closes over has none.
 *
 * @param tolerance how far a result may be from its root
 * @param limit more iterations than this are an error
 */
public record Bracket(double tolerance, int limit) {
    private static final double TRUNCATION = 0.2;

    public Bracket {
        Settings.check("a bracketed search", tolerance, limit);
    }

    private record From<P>(P parameters, Tensor low, Tensor high) {}

    /** {@code slack}: by how much the bracket may be longer than that of bisection, halved. */
    private record Iteration(Tensor a, Tensor b, Tensor fa, Tensor fb, Tensor slack) {}

    /** The roots, of the shape that the two bounds broadcast to. */
    public <P> Tensor solve(Fn2<Tensor, P, Tensor> f, Tensor low, Tensor high, P parameters) {
        return Ebb.custom(
                        (From<P> from) ->
                                iterate(x -> f.apply(x, from.parameters), from.low, from.high),
                        (from, x, dx) -> {
                            var p = from.parameters;
                            var one = Tensors.fill(x.type(), 1);
                            Fn<Tensor, Tensor> here = t -> f.apply(t, p);
                            var slope = Ebb.vjp(here).apply(x, one).cotangent();
                            var v = dx.div(slope).neg();
                            var dp = Ebb.vjp((P q) -> f.apply(x, q)).apply(p, v).cotangent();
                            return new From<>(
                                    dp,
                                    Tensors.fill(from.low.type(), 0),
                                    Tensors.fill(from.high.type(), 0));
                        })
                .apply(new From<>(parameters, low, high));
    }

    /** The final state of the iteration, from which the roots are computed. */
    Tensor iterate(Fn<Tensor, Tensor> f, Tensor low, Tensor high) {
        var zero = low.add(high).mul(0);
        var a = low.add(zero);
        var b = high.add(zero);
        var fa = f.apply(a);
        var fb = f.apply(b);
        var bad = fa.sign().mul(fb.sign()).gt(0);
        var nan = zero.literal(Double.NaN);
        // twice the tolerance times the power of two that bisection would need, and one iteration
        // more
        var iterations = b.sub(a).abs().div(2 * tolerance).maximum(1).log2().ceil().add(1);
        var slack = iterations.mul(Math.log(2)).exp().mul(tolerance);
        var start =
                new Iteration(
                        Tensors.where(bad, nan, a), Tensors.where(bad, nan, b), fa, fb, slack);
        var last = Loop.whileTrue(limit, start, this::open, r -> next(f, r));
        return Tensors.where(
                last.fa().eq(0), last.a(), Tensors.where(last.fb().eq(0), last.b(), middle(last)));
    }

    private static Tensor middle(Iteration r) {
        return r.a().add(r.b()).mul(0.5);
    }

    /** Whether a bracket is still too long and has a number inside. */
    private Tensor open(Iteration r) {
        var half = middle(r);
        var inside = half.ne(r.a()).and(half.ne(r.b()));
        return r.b().sub(r.a()).abs().gt(2 * tolerance).and(inside).any();
    }

    private Iteration next(Fn<Tensor, Tensor> f, Iteration r) {
        var half = middle(r);
        var width = r.b().sub(r.a()).abs();
        var flat = r.fb().eq(r.fa());
        var rise = Tensors.where(flat, r.fa().literal(1), r.fb().sub(r.fa()));
        var secant = r.a().mul(r.fb()).sub(r.b().mul(r.fa())).div(rise);
        var line = Tensors.where(flat, half, secant);
        var toward = half.sub(line).sign();
        // towards the middle by a little, so that the far bound moves too
        var nudge = width.mul(TRUNCATION).minimum(width.square());
        var cut = half.sub(line).abs().le(nudge);
        var truncated = Tensors.where(cut, half, line.add(toward.mul(nudge)));
        // no further from the middle than the iterations left can make up for
        var reach = r.slack().sub(width.mul(0.5)).maximum(0);
        var far = truncated.sub(half).abs().gt(reach);
        var x = Tensors.where(far, half.sub(toward.mul(reach)), truncated);
        var y = f.apply(x);
        var right = y.sign().eq(r.fb().sign());
        var done = y.eq(0);
        var toB = right.or(done);
        var toA = right.not().or(done);
        return new Iteration(
                Tensors.where(toA, x, r.a()),
                Tensors.where(toB, x, r.b()),
                Tensors.where(toA, y, r.fa()),
                Tensors.where(toB, y, r.fb()),
                r.slack().mul(0.5));
    }
}
