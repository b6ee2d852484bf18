package dev.ebb.cuda.text;

import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * The axes over which a kernel iterates, merged as far as its views allow: neighbouring axes over
 * which every view has one uniform stride become one axis, and axes of one element are dropped. The
 * rightmost axis runs fastest.
 *
 * @param dims the elements of each axis
 * @param strides for each view, its stride along each axis
 */
record Axes(List<Integer> dims, List<List<Long>> strides) {
    Axes {
        dims = List.copyOf(dims);
        strides = strides.stream().map(List::copyOf).toList();
    }

    static Axes of(Shape shape, List<View> views) {
        return of(shape, views, shape.allAxes());
    }

    /** The axes {@code chosen} of {@code shape}, in this order. */
    static Axes of(Shape shape, List<View> views, List<Integer> chosen) {
        var dims = new ArrayList<Integer>();
        var strides = new ArrayList<List<Long>>();
        for (var _ : views) strides.add(new ArrayList<>());
        for (int d : chosen) {
            if (shape.dim(d) == 1) continue;
            if (!dims.isEmpty() && joins(dims.getLast(), shape.dim(d), d, views, strides)) {
                dims.set(dims.size() - 1, dims.getLast() * shape.dim(d));
                for (int v = 0; v < views.size(); v++)
                    strides.get(v).set(dims.size() - 1, views.get(v).stride(d));
            } else {
                dims.add(shape.dim(d));
                for (int v = 0; v < views.size(); v++) strides.get(v).add(views.get(v).stride(d));
            }
        }
        return new Axes(dims, strides);
    }

    private static boolean joins(
            long before, long dim, int d, List<View> views, List<List<Long>> strides) {
        if (before * dim > Integer.MAX_VALUE) return false;
        for (int v = 0; v < views.size(); v++) {
            if (strides.get(v).getLast() != views.get(v).stride(d) * dim) return false;
        }
        return true;
    }

    int rank() {
        return dims.size();
    }

    long size() {
        return dims.stream().mapToLong(Integer::longValue).reduce(1, (a, b) -> a * b);
    }

    /** The length of the fastest axis; 1 if there are no axes. */
    int inner() {
        return dims.isEmpty() ? 1 : dims.getLast();
    }

    /** The stride of a view along the fastest axis. */
    long step(int view) {
        return dims.isEmpty() ? 0 : strides.get(view).getLast();
    }

    /** Whether a view has stride zero along all axes. */
    boolean isFixed(int view) {
        return strides.get(view).stream().allMatch(s -> s == 0);
    }

    /** Whether all offsets of a view, apart from the fastest axis, are multiples of {@code n}. */
    boolean isAligned(int view, int n) {
        for (int d = 0; d < rank() - 1; d++) if (strides.get(view).get(d) % n != 0) return false;
        return true;
    }

    /**
     * Writes code that splits number {@code position} into one index for each axis, named {@code
     * prefix} and the axis. The surrounding text defines the types of numbers ({@code num}) and of
     * offsets ({@code ofs}).
     */
    void split(SourceLines code, String position, String prefix) {
        var rest = position;
        for (int d = rank() - 1; d >= 0; d--) {
            boolean last = d == 0;
            code.add(
                    "const ofs %s%d = (ofs)(%s);",
                    prefix, d, last ? rest : rest + " % " + dims.get(d));
            if (last) break;
            var next = prefix + "r" + d;
            code.add("const num %s = %s / %d;", next, rest, dims.get(d));
            rest = next;
        }
    }

    /** The offset of a view at the indices of {@link #split}. */
    String offset(int view, String start, String prefix) {
        var sum = new StringBuilder(start);
        for (int d = 0; d < rank(); d++) {
            long s = strides.get(view).get(d);
            if (s == 0) continue;
            sum.append(s < 0 ? " - " : " + ").append(prefix).append(d);
            if (Math.abs(s) != 1) sum.append(" * ").append(Math.abs(s));
        }
        var text = sum.toString();
        return text.startsWith("0 + ") ? text.substring(4) : text;
    }
}
