package dev.ebb.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a kernel reads an operand: at index {@code i} of its iteration shape it reads element {@code
 * offset + sum(i[d] * strides[d])}. Broadcast, transpose, slice and flip are all strides.
 */
public record View(long offset, List<Long> strides) {

    public View {
        strides = List.copyOf(strides);
    }

    /** Row-major order, as every buffer is stored. */
    public static View contiguous(Shape shape) {
        var strides = new ArrayList<Long>();
        long stride = 1;
        for (int d : shape.dims().reversed()) {
            strides.add(stride);
            stride *= Math.max(d, 1);
        }
        Collections.reverse(strides);
        return new View(0, strides);
    }

    /** The row-major views of several buffers. */
    static List<View> allContiguous(Shape... shapes) {
        return Stream.of(shapes).map(View::contiguous).toList();
    }

    /** An operand of shape {@code from} read along the larger shape {@code to}. */
    public static View broadcast(Shape from, Shape to) {
        if (!Shape.broadcast(from, to).equals(to)) {
            throw new ShapeException("shape " + from + " does not broadcast to " + to);
        }
        var own = contiguous(from);
        var strides = new ArrayList<Long>();
        int lead = to.rank() - from.rank();
        for (int i = 0; i < to.rank(); i++) {
            strides.add(i < lead || from.dim(i - lead) == 1 ? 0L : own.strides().get(i - lead));
        }
        return new View(0, strides);
    }

    /** Refuses a view whose number of axes is not {@code rank}. */
    void requireRank(int rank) {
        if (strides.size() != rank) {
            throw new IllegalArgumentException(
                    "a view of rank " + strides.size() + " for rank " + rank);
        }
    }

    public long stride(int axis) {
        return strides.get(axis);
    }

    public long[] strideArray() {
        return strides.stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * Whether iterating over {@code shape} in row-major order reads the buffer in order, from its
     * start.
     */
    public boolean isContiguous(Shape shape) {
        if (offset != 0) return false;
        long expected = 1;
        for (int d = shape.rank() - 1; d >= 0; d--) {
            if (shape.dim(d) == 1) continue;
            if (strides.get(d) != expected) return false;
            expected *= shape.dim(d);
        }
        return true;
    }

    /**
     * The position of an input in the output of a {@link Kernel.Assemble}: index i of the input is
     * written to {@code start + i * step}.
     */
    public record Part(Shape shape, List<Integer> start, List<Integer> step) {
        public Part {
            start = List.copyOf(start);
            step = List.copyOf(step);
        }

        /** The view by which the input is written into a tensor of shape {@code whole}. */
        public View in(Shape whole) {
            var own = View.contiguous(whole);
            long offset = 0;
            var strides = new ArrayList<Long>();
            for (int d = 0; d < whole.rank(); d++) {
                offset += start.get(d) * own.stride(d);
                strides.add(step.get(d) * own.stride(d));
            }
            return new View(offset, strides);
        }

        /**
         * Whether elements of both may be written to the same index. They are not if, along some
         * axis, one ends before the other begins, or both step by n and start at different
         * remainders modulo n.
         */
        public boolean overlaps(Part other) {
            for (int d = 0; d < shape.rank(); d++) {
                long apart = (long) other.start.get(d) - start.get(d);
                if (Math.max(0, reach(d)) < apart + Math.min(0, other.reach(d))) return false;
                if (apart + Math.max(0, other.reach(d)) < Math.min(0, reach(d))) return false;
                int n = Math.abs(step.get(d));
                if (n == Math.abs(other.step.get(d)) && apart % n != 0) return false;
            }
            return true;
        }

        private long reach(int d) {
            return (shape.dim(d) - 1L) * step.get(d);
        }
    }
}
