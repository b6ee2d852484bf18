package dev.ebb.cpu.sequence;

import dev.ebb.cpu.fold.AxisGroups;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;
import dev.ebb.ir.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Unrolled folds of at most {@link #MOST} elements, in the order of the device's fold kernels: the
 * elements of a row are assigned to 32 lanes in turn, which are combined in a fixed tree; columns
 * are combined row by row. Lanes without an element are omitted: combining with the neutral element
 * changes no bit, because a sum starts from zero and so is never a negative zero.
 */
record FoldOrder(ScalarCode code, Combine combine, DType type) {
    static final int MOST = 64;

    private static final int LANES = 32;

    private Operand both(Operand x, Operand y) {
        return code.apply(combine.function(), x, y);
    }

    private Operand first(Operand x) {
        return combine == Combine.SUM ? both(Operand.constant(type, 0), x) : x;
    }

    /** The fold of {@code shape} over {@code axes}, of elements by their row-major position. */
    List<Operand> all(Shape shape, List<Integer> axes, LongFunction<Operand> element) {
        var groups = AxisGroups.of(shape, axes);
        if (!groups.endsFolded()) return columns(groups, element);
        var rest = groups.withoutLast();
        int width = (int) groups.lastSize();
        var rows = new ArrayList<Operand>();
        for (long r = 0; r < rest.size(); r++) rows.add(row(r * width, width, element));
        boolean two = rest.all().stream().anyMatch(AxisGroups.Group::folded);
        return two ? columns(rest, r -> rows.get((int) r)) : rows;
    }

    /** The fold of the {@code width} elements from {@code start} on. */
    Operand row(long start, int width, LongFunction<Operand> element) {
        var lanes = new ArrayList<Operand>();
        for (int i = 0; i < width; i++) {
            var x = element.apply(start + i);
            if (i < LANES) lanes.add(first(x));
            else lanes.set(i % LANES, both(lanes.get(i % LANES), x));
        }
        if (type == DType.F64) {
            halve(lanes, 16);
            halve(lanes, 8);
        } else {
            for (int l = 0; l < 8; l++) quarter(lanes, l);
        }
        halve(lanes, 4);
        halve(lanes, 2);
        halve(lanes, 1);
        return lanes.getFirst();
    }

    private void halve(List<Operand> lanes, int half) {
        for (int l = 0; l < half && l + half < lanes.size(); l++)
            lanes.set(l, both(lanes.get(l), lanes.get(l + half)));
        while (lanes.size() > half) lanes.removeLast();
    }

    private void quarter(List<Operand> lanes, int l) {
        if (l + 8 < lanes.size()) lanes.set(l, both(lanes.get(l), lanes.get(l + 8)));
        if (l + 24 < lanes.size())
            lanes.set(l, both(lanes.get(l), both(lanes.get(l + 16), lanes.get(l + 24))));
        else if (l + 16 < lanes.size()) lanes.set(l, both(lanes.get(l), lanes.get(l + 16)));
    }

    private List<Operand> columns(AxisGroups groups, LongFunction<Operand> element) {
        var outer = groups.withoutLast();
        long columns = groups.lastSize();
        var all = new ArrayList<Operand>();
        for (long k = 0; k < outer.size(false); k++) {
            for (long j = 0; j < columns; j++) {
                var sum = first(element.apply(outer.position(k, 0) * columns + j));
                for (long row = 1; row < outer.size(true); row++)
                    sum = both(sum, element.apply(outer.position(k, row) * columns + j));
                all.add(sum);
            }
        }
        return all;
    }
}
