package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Write;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Moments;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The first operand with elements of the third written where the second, an index, points along an
 * axis: the last of those for one place, or the largest or least of them and the old element. The
 * index broadcasts to the source, whose other axes are at most as long as the data's.
 */
record ScatterOver(Write write, int axis) implements Differentiable {

    @Override
    public String name() {
        return "scatter_" + write.name().toLowerCase(Locale.ROOT) + "(" + axis + ")";
    }

    @Override
    public List<Type> infer(List<Type> in) {
        var data = in.get(0);
        var index = in.get(1);
        var source = in.get(2);
        Indexing.requireIndex(name(), index);
        boolean fits =
                source.dtype() == data.dtype() && source.shape().rank() == data.shape().rank();
        for (int d = 0; fits && d < data.shape().rank(); d++)
            fits = d == axis || source.shape().dim(d) <= data.shape().dim(d);
        if (!fits) {
            throw new ShapeException(
                    ("%s: a source of %s for %s; it needs the same element type and rank, and no"
                                    + " axis but %s may be longer")
                            .formatted(name(), source, data, axis));
        }
        if (write != Write.SET && data.dtype().isTruth()) {
            throw new ShapeException(
                    name() + " of " + data + "; cast to an integer type first, to compare");
        }
        if (!isStretched(index.shape(), source.shape())) {
            throw new ShapeException(
                    ("%s: an index of %s for a source of %s; it needs the same rank, and axes as"
                                    + " long as the source's or of size 1")
                            .formatted(name(), index, source));
        }
        return List.of(data);
    }

    private static boolean isStretched(Shape from, Shape to) {
        boolean fits = from.rank() == to.rank();
        for (int d = 0; fits && d < from.rank(); d++)
            fits = from.dim(d) == 1 || from.dim(d) == to.dim(d);
        return fits;
    }

    @Override
    public Kernel kernel(List<Type> in) {
        var data = in.get(0).shape();
        var source = in.get(2).shape();
        var own = View.contiguous(data);
        var strides = new ArrayList<>(own.strides());
        strides.set(axis, 0L);
        return new Kernel.Scatter(
                write,
                source,
                data.size(),
                new View(0, strides),
                View.broadcast(in.get(1).shape(), source),
                View.contiguous(source),
                own.stride(axis),
                data.dim(axis));
    }

    /**
     * The source comes first, so that the rest of the cotangent can then be overwritten in place.
     */
    @Override
    public void vjp(Rule rule) {
        if (!rule.in(0).dtype().isFloat()) return;
        switch (write) {
            case ADD -> throw new IllegalStateException(name() + " is no update");
            case SET -> set(rule);
            case MAX, MIN -> extreme(rule);
        }
    }

    private void set(Rule rule) {
        var source = rule.in(2);
        if (rule.wants(2)) {
            var here = rule.dout(0).gather(axis, index(rule));
            var zero = here.literal(0);
            rule.add(2, source.dim(axis) <= 1 ? here : Elementwise.choose(stays(rule), here, zero));
        }
        if (rule.wants(0)) {
            var zeros = Tensors.zeros(source.dtype(), source.shape());
            rule.add(0, rule.dout(0).apply(this, rule.in(1), zeros));
        }
    }

    private static Tensor index(Rule rule) {
        return rule.in(1).broadcastTo(rule.in(2).shape());
    }

    /**
     * Marks the elements of the source that are the last ones written to their position, found by
     * scattering their numbers in the same way.
     */
    private Tensor stays(Rule rule) {
        var shape = rule.in(2).shape();
        var numbers = Tensors.arange(DType.I32, Math.toIntExact(shape.size())).reshape(shape);
        var last = Tensors.zeros(DType.I32, rule.in(0).shape()).apply(this, rule.in(1), numbers);
        return last.gather(axis, index(rule)).eq(numbers);
    }

    /** All elements equal to the extreme share the cotangent equally, and so do all NaNs. */
    private void extreme(Rule rule) {
        var data = rule.in(0);
        var source = rule.in(2);
        var index = index(rule);
        var dataHit = data.eq(rule.out(0)).or(data.isNan());
        var sourceHit = source.eq(rule.out(0).gather(axis, index)).or(source.isNan());
        var wide = Moments.wide(data);
        var count = dataHit.cast(wide).scatterAdd(axis, index, sourceHit.cast(wide));
        var share = rule.dout(0).cast(wide).div(count).cast(data.dtype());
        var there = share.gather(axis, index);
        rule.add(2, Elementwise.choose(sourceHit, there, there.literal(0)));
        rule.add(0, Elementwise.choose(dataHit, share, share.literal(0)));
    }
}
