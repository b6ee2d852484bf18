package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/**
 * A minimum of {@code f(x, parameters)} by the limited-memory method of Broyden, Fletcher, Goldfarb
 * and Shanno (Liu and Nocedal, 1989), with steps halved until they descend. The derivative of the
 * minimum by the parameters is that of the implicit function theorem: {@code -d/dp (v . df/dx)},
 * where {@code v} solves {@code H v = dx} with the Hessian, by {@link ConjugateGradients} on
 * Hessian-vector products. It keeps the minimum alone and needs a Hessian that is positive there.
 * What {@code f} closes over has no derivative.
 *
 * @param tolerance the iterations end when no element of the gradient is larger
 * @param limit more iterations than this are an error
 * @param history how many steps the approximate Hessian is made of
 */
public record Lbfgs(double tolerance, int limit, int history) {
    private static final double DESCENT = 1e-4;
    private static final int HALVINGS = 60;
    private static final double SOLVED = 1e-13;

    public Lbfgs {
        Settings.check("a minimiser", tolerance, limit);
        if (history < 1) {
            throw new IllegalArgumentException("a history of " + history + " steps; at least 1");
        }
    }

    private record From<P>(P parameters, Tensor start) {
        From<P> at(Tensor x) {
            return new From<>(parameters, x);
        }
    }

    /** Steps, changes of the gradient and one over their products, newest last; 0: none yet. */
    private record Past(Tensor steps, Tensor changes, Tensor inverses) {}

    private record Iteration(Tensor x, Tensor value, Tensor slope, Past past) {}

    /**
     * The minimum that the iteration reaches from {@code start}; the value of {@code f} is one
     * number.
     */
    public <P> Tensor minimise(Fn2<Tensor, P, Tensor> f, Tensor start, P parameters) {
        return Ebb.custom(
                        (From<P> from) -> search(x -> f.apply(x, from.parameters), from.start),
                        (from, x, dx) -> {
                            int most = Math.toIntExact(Math.min(1_000_000, 20 * x.type().size()));
                            var v =
                                    new ConjugateGradients(SOLVED, most + 100)
                                            .solve((u, at) -> hessian(f, at, u), dx, from.at(x));
                            Fn<P, Tensor> slope =
                                    q -> Ebb.grad((Tensor t) -> f.apply(t, q)).apply(x);
                            var dp = Ebb.vjp(slope).apply(from.parameters, v.neg()).cotangent();
                            return new From<>(dp, Tensors.fill(x.type(), 0));
                        })
                .apply(new From<>(parameters, start));
    }

    private static <P> Tensor hessian(Fn2<Tensor, P, Tensor> f, From<P> at, Tensor u) {
        return Ebb.hvp((Tensor t) -> f.apply(t, at.parameters)).apply(at.start, u);
    }

    private Tensor search(Fn<Tensor, Tensor> f, Tensor start) {
        int n = Math.toIntExact(start.type().size());
        Fn<Tensor, Tensor> flat = x -> f.apply(x.reshape(start.shape()));
        var first = Ebb.valueAndGrad(flat).apply(start.reshape(n));
        var none = Tensors.zeros(start.dtype(), history, n);
        var past = new Past(none, none, Tensors.zeros(start.dtype(), history));
        return Loop.whileTrue(
                        limit,
                        new Iteration(start.reshape(n), first.value(), first.grad(), past),
                        r -> r.slope().abs().amax().gt(tolerance),
                        r -> next(flat, r))
                .x()
                .reshape(start.shape());
    }

    private record Trial(Tensor length, Tensor value) {}

    private Iteration next(Fn<Tensor, Tensor> f, Iteration r) {
        var direction = direction(r.past, r.slope);
        var descent = direction.mul(r.slope).sum();
        // the largest error of the value by rounding alone
        var noise = r.value.abs().mul(r.x.dtype() == DType.F64 ? 0x1p-50 : 0x1p-21);
        var fresh = r.past.inverses.at(0, history - 1).eq(0);
        var cautious = direction.square().sum().rsqrt().minimum(1);
        var longest = Tensors.where(fresh, cautious, r.value.literal(1));
        var tried =
                Loop.whileTrue(
                        HALVINGS,
                        new Trial(longest, f.apply(r.x.add(direction.mul(longest)))),
                        t -> {
                            var allowed = t.length.mul(descent).mul(DESCENT).add(r.value);
                            return t.value.le(allowed.add(noise)).not();
                        },
                        t -> {
                            var half = t.length.mul(0.5);
                            return new Trial(half, f.apply(r.x.add(direction.mul(half))));
                        });
        var step = direction.mul(tried.length);
        var x = r.x.add(step);
        var at = Ebb.valueAndGrad(f).apply(x);
        return new Iteration(
                x, at.value(), at.grad(), longer(r.past, step, at.grad().sub(r.slope)));
    }

    /** The last {@code history} steps with one more, if the slope grew along it. */
    private Past longer(Past past, Tensor step, Tensor change) {
        var product = step.mul(change).sum();
        var bound = step.square().sum().mul(change.square().sum()).sqrt().mul(1e-10);
        var use = product.gt(bound);
        var inverse = Tensors.where(use, product, product.literal(1)).reciprocal();
        return new Past(
                Tensors.where(use, pushed(past.steps, step), past.steps),
                Tensors.where(use, pushed(past.changes, change), past.changes),
                Tensors.where(use, pushed(past.inverses, inverse), past.inverses));
    }

    private Tensor pushed(Tensor all, Tensor last) {
        return Tensors.concat(List.of(all.slice(0, 1, history), last.unsqueeze(0)), 0);
    }

    /** Minus the approximate inverse Hessian times the slope: two loops over the history. */
    private Tensor direction(Past past, Tensor slope) {
        var factors = new ArrayList<Tensor>();
        Tensor q = slope;
        for (int i = history - 1; i >= 0; i--) {
            var factor = past.steps.at(0, i).mul(q).sum().mul(past.inverses.at(0, i));
            factors.addFirst(factor);
            q = q.sub(past.changes.at(0, i).mul(factor));
        }
        var change = past.changes.at(0, history - 1).square().sum();
        var none = change.eq(0);
        var scale = past.inverses.at(0, history - 1).mul(change);
        var one = scale.literal(1);
        q = q.div(Tensors.where(none, one, scale));
        for (int i = 0; i < history; i++) {
            var back = past.changes.at(0, i).mul(q).sum().mul(past.inverses.at(0, i));
            q = q.add(past.steps.at(0, i).mul(factors.get(i).sub(back)));
        }
        return q.neg();
    }
}
