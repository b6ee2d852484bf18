package dev.ebb.pass;

import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Composes a view of a view into one view, so that the intermediate value need not be stored. */
final class Views {
    private Views() {}

    /**
     * A kernel walks {@code shape} and reads, by {@code outer}, a buffer that holds {@code inner}
     * of some source walked along {@code between}. The view by which it can read that source
     * directly, if there is one: every axis of {@code shape} must move along a single axis of
     * {@code between}.
     */
    static Optional<View> compose(Shape shape, View outer, Shape between, View inner) {
        var axes = merged(between, inner);
        int n = axes.size();
        long[] low = new long[n];
        long[] high = new long[n];
        long rest = outer.offset();
        long offset = inner.offset();
        for (int e = 0; e < n; e++) {
            var axis = axes.get(e);
            low[e] = high[e] = rest / axis.step;
            rest %= axis.step;
            offset += low[e] * axis.stride;
        }
        var strides = new ArrayList<Long>();
        for (int d = 0; d < shape.rank(); d++) {
            long step = outer.stride(d);
            if (shape.dim(d) <= 1 || step == 0) {
                strides.add(0L);
                continue;
            }
            int e = along(axes, Math.abs(step));
            if (e < 0) return Optional.empty();
            long times = step / axes.get(e).step;
            long reach = times * (shape.dim(d) - 1);
            if (reach < 0) low[e] += reach;
            else high[e] += reach;
            strides.add(times * axes.get(e).stride);
        }
        for (int e = 0; e < n; e++) {
            if (low[e] < 0 || high[e] >= axes.get(e).size) return Optional.empty();
        }
        return Optional.of(new View(offset, strides));
    }

    /** The view of the same elements in the same order, along another shape of equal size. */
    static Optional<View> refactor(Shape from, View view, Shape to) {
        return compose(to, View.contiguous(to), from, view);
    }

    /**
     * A buffer walked along {@code shape} is copied by {@code view} of a buffer of shape {@code
     * of}. The view by which elements of that buffer are written into the copy, if the copy
     * permutes axes.
     */
    static Optional<View> inverse(Shape shape, View view, Shape of) {
        if (view.offset() != 0 || shape.size() != of.size()) return Optional.empty();
        var own = View.contiguous(of);
        var copy = View.contiguous(shape);
        var strides = new ArrayList<Long>();
        for (int d = 0; d < of.rank(); d++) {
            int axis = of.dim(d) == 1 ? -1 : matching(shape, view, of.dim(d), own.stride(d));
            if (axis < 0 && of.dim(d) != 1) return Optional.empty();
            strides.add(axis < 0 ? 0L : copy.stride(axis));
        }
        return Optional.of(new View(0, strides));
    }

    /** The axis of this size and stride, or -1. */
    private static int matching(Shape shape, View view, int size, long stride) {
        for (int d = 0; d < shape.rank(); d++) {
            if (shape.dim(d) == size && view.stride(d) == stride) return d;
        }
        return -1;
    }

    /**
     * An axis of a buffer: its size, its step in the buffer, and the stride of the underlying view.
     */
    private record Axis(long size, long step, long stride) {}

    /**
     * The axes of {@code shape} longer than one, with neighbours merged along which {@code view}
     * has one stride.
     */
    private static List<Axis> merged(Shape shape, View view) {
        var axes = new ArrayList<Axis>();
        long step = 1;
        for (int d = shape.rank() - 1; d >= 0; d--) {
            int size = shape.dim(d);
            if (size != 1) {
                if (!axes.isEmpty()
                        && view.stride(d) == axes.getLast().stride * axes.getLast().size) {
                    var last = axes.removeLast();
                    axes.add(new Axis(last.size * size, last.step, last.stride));
                } else {
                    axes.add(new Axis(size, step, view.stride(d)));
                }
            }
            step *= Math.max(size, 1);
        }
        if (axes.isEmpty()) axes.add(new Axis(1, 1, 0));
        return axes.reversed();
    }

    /** The axis with the largest step that divides {@code step}, or -1. */
    private static int along(List<Axis> axes, long step) {
        for (int e = 0; e < axes.size(); e++) {
            if (axes.get(e).step <= step) return step % axes.get(e).step == 0 ? e : -1;
        }
        return -1;
    }
}
