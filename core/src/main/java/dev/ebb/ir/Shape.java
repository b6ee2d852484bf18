package dev.ebb.ir;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The sizes of a tensor's axes, outermost first. Rank 0 is a scalar; an axis may be empty. */
public record Shape(List<Integer> dims) {

    private static final Shape SCALAR = new Shape(List.of());

    public Shape {
        dims = List.copyOf(dims);
        long size = 1;
        for (int d : dims) {
            if (d < 0) throw new ShapeException("negative axis in shape " + dims);
            try {
                size = Math.multiplyExact(size, Math.max(d, 1));
            } catch (ArithmeticException e) {
                throw new ShapeException(
                        "shape " + dims + " has more elements than a long can count", e);
            }
        }
        if (size > Long.MAX_VALUE / 16) {
            throw new ShapeException(
                    "shape " + dims + " has " + size + " elements: more than memory can address");
        }
    }

    public static Shape of(int... dims) {
        return dims.length == 0 ? SCALAR : new Shape(Arrays.stream(dims).boxed().toList());
    }

    public static Shape scalar() {
        return SCALAR;
    }

    public int rank() {
        return dims.size();
    }

    public int dim(int axis) {
        return dims.get(axis);
    }

    /** The number of elements. */
    public long size() {
        long size = 1;
        for (int i = 0; i < dims.size(); i++) size *= dims.get(i);
        return size;
    }

    /** Axis {@code axis}, counted from the end if negative; refused if there is none. */
    public int axis(int axis) {
        int a = axis < 0 ? axis + rank() : axis;
        if (a < 0 || a >= rank()) {
            throw new ShapeException(
                    "axis " + axis + " does not exist in shape " + this + " of rank " + rank());
        }
        return a;
    }

    /** Normalised, sorted and distinct axes. */
    public List<Integer> axes(List<Integer> axes) {
        var normal = axes.stream().map(this::axis).sorted().toList();
        if (normal.stream().distinct().count() != normal.size()) {
            throw new ShapeException("axes " + axes + " name one axis of " + this + " twice");
        }
        return normal;
    }

    public List<Integer> allAxes() {
        return IntStream.range(0, rank()).boxed().toList();
    }

    /** This shape without {@code axes}, or with them kept at size one. */
    public Shape reduce(List<Integer> axes, boolean keep) {
        var out =
                IntStream.range(0, rank())
                        .filter(i -> keep || !axes.contains(i))
                        .map(i -> axes.contains(i) ? 1 : dim(i))
                        .boxed()
                        .toList();
        return new Shape(out);
    }

    public Shape with(int axis, int size) {
        var out = dims.stream().mapToInt(Integer::intValue).toArray();
        out[axis] = size;
        return of(out);
    }

    /** These dimensions, followed by {@code more}. */
    public Shape append(int... more) {
        var all = new ArrayList<>(dims);
        for (int size : more) all.add(size);
        return new Shape(all);
    }

    /** These dimensions, followed by {@code more}. */
    public Shape append(List<Integer> more) {
        var all = new ArrayList<>(dims);
        all.addAll(more);
        return new Shape(all);
    }

    /** These dimensions behind a first axis of this size. */
    public Shape prepend(int size) {
        return of(size).append(dims);
    }

    public int[] toArray() {
        return dims.stream().mapToInt(Integer::intValue).toArray();
    }

    /** NumPy broadcasting of two shapes. */
    public static Shape broadcast(Shape a, Shape b) {
        if (a.equals(b)) return a;
        int rank = Math.max(a.rank(), b.rank());
        int[] out = new int[rank];
        for (int i = 0; i < rank; i++) {
            int x = i < rank - a.rank() ? 1 : a.dim(i - rank + a.rank());
            int y = i < rank - b.rank() ? 1 : b.dim(i - rank + b.rank());
            if (x != y && x != 1 && y != 1) {
                throw new ShapeException(
                        ("shapes %s and %s do not broadcast: axis %s has sizes %s and %s; reshape"
                                        + " one of them or insert an axis of size 1")
                                .formatted(a, b, i - rank, x, y));
            }
            out[i] = x == 1 ? y : x;
        }
        return of(out);
    }

    @Override
    public String toString() {
        return dims.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
    }
}
