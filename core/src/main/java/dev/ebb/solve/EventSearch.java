package dev.ebb.solve;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.Loop;
import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/**
 * Steps of {@link DormandPrince} up to the one in which an event changes its sign, and the place of
 * the change within that step. The place is searched for by bracketing with the step's own formula,
 * through which nothing flows back; then one step of Newton's method, of size zero but for
 * rounding, has the derivative of the implicit function theorem.
 */
record EventSearch<S>(
        DormandPrince solver,
        Fn2<Tensor, S, Tensor> event,
        Fn2<Tensor, S, S> f,
        double to,
        double sign) {
    private static final int ITERATIONS = 200;

    /** {@code at}: before the step in which the event happens, if {@code happened}. */
    private record Carry<S>(DormandPrince.Carry<S> at, Tensor value, Tensor happened) {}

    private record Point<S>(Tensor time, S y) {}

    private Tensor time(Tensor left) {
        return left.mul(-sign).add(to);
    }

    DormandPrince.Arrival<S> run(DormandPrince.Carry<S> first, int limit) {
        var value = event.apply(time(first.left()), first.y());
        var start = new Carry<>(first, value, value.lt(value));
        var last =
                Loop.whileTrue(
                        limit, start, c -> c.at.left().gt(0).and(c.happened.not()), this::step);
        var end = new Point<>(time(last.at.left()), last.at.y());
        var found = Loop.cond(last.happened, () -> locate(last.at), () -> end);
        return new DormandPrince.Arrival<>(found.time, found.y, last.happened);
    }

    private Carry<S> step(Carry<S> c) {
        var next = solver.step(f, c.at, to, sign);
        var value = event.apply(time(next.left()), next.y());
        var passes = value.sign().ne(c.value.sign()).and(c.value.ne(0));
        // the accepted step, a part of which is to be computed again
        var size = c.at.left().sub(next.left());
        var before =
                new DormandPrince.Carry<>(c.at.left(), size, c.at.y(), c.at.slope(), next.counts());
        return new Carry<>(DormandPrince.choose(passes, before, next), value, passes);
    }

    private Point<S> locate(DormandPrince.Carry<S> at) {
        var t = time(at.left());
        Fn<Tensor, Tensor> along = h -> event.apply(t.add(h), state(at, t, h));
        double least = at.step().dtype() == DType.F64 ? 1e-15 : 1e-7;
        var span = Math.max(1, Math.abs(to));
        var whole = at.step().mul(sign);
        var h = new Bracket(least * span, ITERATIONS).iterate(along, whole.mul(0), whole).detach();
        var y = state(at, t, h);
        var then = t.add(h);
        var slope = f.apply(then, y);
        var pace =
                Ebb.jvp((Point<S> p) -> event.apply(p.time, p.y))
                        .apply(
                                new Point<>(then, y),
                                new Point<>(Tensors.fill(then.type(), 1), slope));
        var late = pace.value().div(pace.tangent()).neg();
        return new Point<>(then.add(late), Combination.scaled(y, late, List.of(slope), 1));
    }

    private S state(DormandPrince.Carry<S> at, Tensor t, Tensor h) {
        return DormandPrince.end(at.y(), h, DormandPrince.slopes(f, t, at.y(), at.slope(), h));
    }
}
