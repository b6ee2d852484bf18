package dev.ebb.tensor.op;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Differentiable;
import dev.ebb.tensor.Rule;

import java.util.List;

/** Order along an axis. */
final class Sorting {
    private Sorting() {}

    /**
     * The indices that put an axis in order. Equal elements stay in the order they are in, in
     * either direction; NaN counts as larger than every number.
     */
    record Argsort(int axis, boolean descending) implements Differentiable {
        @Override
        public String name() {
            return "argsort(" + axis + (descending ? ", descending)" : ")");
        }

        @Override
        public List<Type> infer(List<Type> in) {
            if (in.getFirst().dtype() == DType.BIT) {
                throw new ShapeException("argsort of " + in.getFirst() + "; cast to bool first");
            }
            return List.of(in.getFirst().with(DType.I64));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            return new MergeSort(
                    Cumulations.outer(shape, axis),
                    shape.dim(axis),
                    Cumulations.inner(shape, axis),
                    descending);
        }

        @Override
        public void vjp(Rule rule) {
            // piecewise constant
        }
    }

    /**
     * Merges ever longer runs of indices, from one half of the workspace into the other, for every
     * line along the middle axis of {@code [outer, length, inner]}.
     */
    record MergeSort(long outer, int length, long inner, boolean descending)
            implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 2 * DType.I64.bytes(length);
        }

        @Override
        public void run(List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
            var indices = new Buffer(DType.I64, 2L * length, workspace.segment());
            for (long o = 0; o < outer; o++) {
                for (long i = 0; i < inner; i++) {
                    var line = new Line(inputs.getFirst(), o * length * inner + i);
                    long sorted = sort(line, indices);
                    for (int j = 0; j < length; j++) {
                        outputs.getFirst().setLong(line.at(j), indices.getLong(sorted + j));
                    }
                }
            }
        }

        /** Sorts {@code 0 .. length-1}; where in {@code indices} the result starts. */
        private long sort(Line line, Buffer indices) {
            long from = 0;
            long to = length;
            for (int j = 0; j < length; j++) indices.setLong(j, j);
            for (long run = 1; run < length; run *= 2) {
                for (long low = 0; low < length; low += 2 * run) {
                    long middle = Math.min(low + run, length);
                    long high = Math.min(low + 2 * run, length);
                    merge(line, indices, from, to, low, middle, high);
                }
                long swap = from;
                from = to;
                to = swap;
            }
            return from;
        }

        private void merge(
                Line line, Buffer indices, long from, long to, long low, long middle, long high) {
            long left = low;
            long right = middle;
            for (long j = low; j < high; j++) {
                boolean takeLeft =
                        right == high
                                || (left < middle
                                        && line.ordered(
                                                indices.getLong(from + left),
                                                indices.getLong(from + right)));
                indices.setLong(to + j, indices.getLong(from + (takeLeft ? left++ : right++)));
            }
        }

        /** The elements of one line. */
        private final class Line {
            private final Buffer data;
            private final long start;

            Line(Buffer data, long start) {
                this.data = data;
                this.start = start;
            }

            long at(long j) {
                return start + j * inner;
            }

            /** Whether element {@code j} may stay before element {@code k}. */
            boolean ordered(long j, long k) {
                int sign =
                        data.dtype().isFloat()
                                ? compare(data.get(at(j)), data.get(at(k)))
                                : Long.compare(data.getLong(at(j)), data.getLong(at(k)));
                return descending ? sign >= 0 : sign <= 0;
            }

            private static int compare(double x, double y) {
                return x < y ? -1 : x > y ? 1 : Boolean.compare(Double.isNaN(x), Double.isNaN(y));
            }
        }
    }
}
