package dev.ebb.science;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Rule;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Matrices of a few diagonals, and systems of equations with them in time proportional to their
 * size. A matrix of {@code n} rows is {@code bands [..., n, width]}: row {@code i} holds its
 * elements of columns {@code i - below} to {@code i - below + width - 1}; what lies outside the
 * matrix is not read. Leading axes are a batch and broadcast.
 */
public final class Banded {
    private Banded() {}

    /**
     * x with {@code A x = right}, for {@code right [..., n]}, by LU factorisation with partial
     * pivoting in f64. Differentiated by the bands and the right-hand side. A singular matrix is an
     * {@link ArithmeticException}.
     */
    public static Tensor solve(Tensor bands, int below, Tensor right) {
        var lead = lead("Banded.solve", bands, below, right);
        return wide(bands, lead, 2).apply(new Solve(below, false), wide(right, lead, 1));
    }

    /** The product of a matrix and {@code x [..., n]}. */
    public static Tensor multiply(Tensor bands, int below, Tensor x) {
        var lead = lead("Banded.multiply", bands, below, x);
        return wide(bands, lead, 2).mul(columns(wide(x, lead, 1), bands.dim(-1), below)).sum(-1);
    }

    private static Shape lead(String op, Tensor bands, int below, Tensor x) {
        Floats.alike(op, bands, x);
        boolean fits =
                bands.rank() >= 2
                        && x.rank() >= 1
                        && bands.dim(-2) >= 1
                        && x.dim(-1) == bands.dim(-2);
        if (!fits) {
            throw new ShapeException(
                    ("%s of bands %s and %s; they must be [..., n, width] and [..., n], with n at"
                                    + " least 1")
                            .formatted(op, bands.type(), x.type()));
        }
        if (below < 0 || below >= bands.dim(-1)) {
            throw new ShapeException(
                    "%s: %s diagonals below the main one, of %s in all; it must be from 0 to %s"
                            .formatted(op, below, bands.dim(-1), bands.dim(-1) - 1));
        }
        return Shape.broadcast(
                bands.shape().reduce(List.of(bands.rank() - 2, bands.rank() - 1), false),
                x.shape().reduce(List.of(x.rank() - 1), false));
    }

    /** {@code t} with these leading axes before its last {@code own} ones. */
    private static Tensor wide(Tensor t, Shape lead, int own) {
        return t.broadcastTo(lead.append(t.shape().dims().subList(t.rank() - own, t.rank())));
    }

    /** For each row the elements of {@code x} that its bands meet, zeros outside. */
    private static Tensor columns(Tensor x, int width, int below) {
        int n = x.dim(-1);
        var low = new ArrayList<>(Collections.nCopies(x.rank(), 0));
        var high = new ArrayList<>(low);
        low.set(x.rank() - 1, below);
        high.set(x.rank() - 1, width - 1 - below);
        var padded = x.pad(low, high);
        var shifted = new ArrayList<Tensor>();
        for (int c = 0; c < width; c++) shifted.add(padded.slice(-1, c, c + n));
        return Tensors.stack(shifted, -1);
    }

    /** Operands: bands and right-hand side of one batch; the matrix may be taken transposed. */
    record Solve(int below, boolean transposed) implements EachLine.LineOp {
        @Override
        public String name() {
            return "banded_solve";
        }

        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(in.get(1));
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var shape = in.getFirst().shape();
            int n = shape.dim(shape.rank() - 2);
            int width = shape.dim(shape.rank() - 1);
            int count = Math.toIntExact(in.get(1).size() / n);
            var lines = new BandedLines(n, width, below, transposed);
            return new EachLine(count, lines.workspace(), lines::solve);
        }

        @Override
        public void vjp(Rule rule) {
            var x = rule.out(0);
            var back = rule.in(0).apply(new Solve(below, !transposed), rule.dout(0));
            rule.add(1, back);
            if (!rule.wants(0)) return;
            var row = transposed ? x : back;
            var column = transposed ? back : x;
            int width = rule.in(0).dim(-1);
            rule.add(0, columns(column, width, below).mul(row.unsqueeze(-1)).neg());
        }
    }

    /**
     * The elimination of one system: rows of the factors in the workspace, then the right-hand
     * side.
     */
    private record BandedLines(int n, int width, int below, boolean transposed) {
        /** Diagonals below and above the main one of the matrix that is factorised. */
        private int down() {
            return transposed ? width - 1 - below : below;
        }

        private int up() {
            return transposed ? below : width - 1 - below;
        }

        /** Rows are swapped with up to {@code down} below them, so they reach further right. */
        private int reach() {
            return Math.min(n - 1, up() + down());
        }

        private int stride() {
            return down() + reach() + 1;
        }

        long workspace() {
            return (long) n * stride() + n;
        }

        private long at(int row, int column) {
            return (long) row * stride() + column - row + down();
        }

        void solve(int number, List<Buffer> in, List<Buffer> out, Buffer workspace) {
            long b = (long) n * stride();
            load(number, in.getFirst(), workspace);
            for (int i = 0; i < n; i++) workspace.set(b + i, in.get(1).get((long) number * n + i));
            for (int k = 0; k < n; k++) {
                int last = Math.min(n - 1, k + down());
                int pivot = k;
                for (int r = k + 1; r <= last; r++)
                    if (size(workspace, r, k) > size(workspace, pivot, k)) pivot = r;
                if (pivot != k) swap(workspace, k, pivot, b);
                double top = workspace.get(at(k, k));
                if (top == 0) throw singular(number, k);
                for (int r = k + 1; r <= last; r++) {
                    double factor = workspace.get(at(r, k)) / top;
                    if (factor == 0) continue;
                    for (int j = k + 1; j <= Math.min(n - 1, k + reach()); j++)
                        subtract(workspace, at(r, j), factor * workspace.get(at(k, j)));
                    subtract(workspace, b + r, factor * workspace.get(b + k));
                }
            }
            for (int i = n - 1; i >= 0; i--) {
                for (int j = i + 1; j <= Math.min(n - 1, i + reach()); j++)
                    subtract(workspace, b + i, workspace.get(at(i, j)) * workspace.get(b + j));
                workspace.set(b + i, workspace.get(b + i) / workspace.get(at(i, i)));
                out.getFirst().set((long) number * n + i, workspace.get(b + i));
            }
        }

        private void load(int number, Buffer bands, Buffer workspace) {
            for (long i = 0; i < (long) n * stride(); i++) workspace.set(i, 0);
            for (int i = 0; i < n; i++) {
                for (int c = 0; c < width; c++) {
                    int j = i - below + c;
                    if (j < 0 || j >= n) continue;
                    double x = bands.get(((long) number * n + i) * width + c);
                    workspace.set(transposed ? at(j, i) : at(i, j), x);
                }
            }
        }

        private double size(Buffer workspace, int row, int column) {
            return Math.abs(workspace.get(at(row, column)));
        }

        private static void subtract(Buffer workspace, long at, double x) {
            workspace.set(at, workspace.get(at) - x);
        }

        /**
         * Swaps two rows from column {@code k} on; the elements left of it are not read any more.
         */
        private void swap(Buffer workspace, int k, int other, long b) {
            for (int j = k; j <= Math.min(n - 1, k + reach()); j++)
                Tridiagonal.swap(workspace, at(k, j), at(other, j));
            Tridiagonal.swap(workspace, b + k, b + other);
        }

        private static ArithmeticException singular(int number, int row) {
            return new ArithmeticException(
                    ("banded_solve: matrix %s of the batch is singular: pivot %s is 0; check its"
                                    + " bands")
                            .formatted(number, row));
        }
    }
}
