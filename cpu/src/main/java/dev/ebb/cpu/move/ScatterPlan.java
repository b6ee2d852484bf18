package dev.ebb.cpu.move;

import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * Classifies the axes of a scatter. Columns are the innermost axes along which targets are
 * contiguous and the index does not change. Positions are the other axes along which the target
 * moves: each position has separate targets. Terms are the axes along which the target does not
 * move: an index assigns each term to a target of its position.
 */
final class ScatterPlan {
    /** Some axes, with the strides of the three views along them. */
    private static final class Axes {
        private final List<Integer> sizes = new ArrayList<>();
        private final List<List<Long>> strides = new ArrayList<>();

        void add(int size, List<Long> own) {
            sizes.add(size);
            strides.add(own);
        }

        long count() {
            return sizes.stream().mapToLong(Integer::longValue).reduce(1, Math::multiplyExact);
        }

        long offset(long number, int view) {
            if (sizes.size() == 1) return number * strides.getFirst().get(view);
            long left = number;
            long offset = 0;
            for (int d = sizes.size() - 1; d >= 0; d--) {
                offset += left % sizes.get(d) * strides.get(d).get(view);
                left /= sizes.get(d);
            }
            return offset;
        }
    }

    private static final int TARGET = 0;
    private static final int INDEX = 1;
    private static final int SOURCE = 2;

    private final List<View> views;
    private final Axes kept = new Axes();
    private final Axes summed = new Axes();
    private final long positions;
    private final long terms;
    private long columns = 1;
    private long step = 1;

    ScatterPlan(Kernel.Scatter k) {
        views = List.of(k.target(), k.index(), k.source());
        var shape = merged(k.shape());
        int last = shape.sizes.size();
        while (last > 0 && isColumn(shape, last - 1)) {
            var own = shape.strides.get(last - 1);
            if (columns == 1) step = own.get(SOURCE);
            columns *= shape.sizes.get(last - 1);
            last--;
        }
        for (int d = 0; d < last; d++) {
            var own = shape.strides.get(d);
            (own.get(TARGET) == 0 ? summed : kept).add(shape.sizes.get(d), own);
        }
        positions = kept.count();
        terms = summed.count();
        if (terms > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "a scatter of " + terms + " terms in " + k.shape() + "; the most is 2^31 - 1");
        }
    }

    private boolean isColumn(Axes axes, int d) {
        var own = axes.strides.get(d);
        return own.get(INDEX) == 0
                && own.get(TARGET) == columns
                && (columns == 1 || own.get(SOURCE) == columns * step);
    }

    /**
     * The axes of {@code shape}, with adjacent axes merged if every view has one uniform stride
     * over both.
     */
    private Axes merged(Shape shape) {
        var axes = new Axes();
        for (int d = 0; d < shape.rank(); d++) {
            int axis = d;
            int size = shape.dim(d);
            if (size == 1) continue;
            var own = views.stream().map(v -> v.stride(axis)).toList();
            int before = axes.sizes.size() - 1;
            if (before >= 0
                    && isOne(axes.strides.get(before), own, size)
                    && (long) axes.sizes.get(before) * size <= Integer.MAX_VALUE) {
                axes.add(axes.sizes.remove(before) * size, own);
                axes.strides.remove(before);
            } else {
                axes.add(size, own);
            }
        }
        return axes;
    }

    private static boolean isOne(List<Long> outer, List<Long> inner, int size) {
        for (int v = 0; v < outer.size(); v++) {
            if (outer.get(v) != inner.get(v) * size) return false;
        }
        return true;
    }

    long positions() {
        return positions;
    }

    /** The number of terms for each position and column. */
    long terms() {
        return terms;
    }

    long columns() {
        return columns;
    }

    /** The distance in the source from one column to the next. */
    long step() {
        return step;
    }

    /** The index of the first target of a position. */
    long target(long position) {
        return views.get(TARGET).offset() + kept.offset(position, TARGET);
    }

    long index(long position) {
        return views.get(INDEX).offset() + kept.offset(position, INDEX);
    }

    long source(long position) {
        return views.get(SOURCE).offset() + kept.offset(position, SOURCE);
    }

    /** The distance of the index of a term from the first index of its position. */
    long indexOf(long term) {
        return summed.offset(term, INDEX);
    }

    long sourceOf(long term) {
        return summed.offset(term, SOURCE);
    }
}
