package dev.ebb.science;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Jacobians with few entries, from few directional derivatives: columns that share no row have one
 * colour and are computed together (Curtis, Powell and Reid, "On the estimation of sparse Jacobian
 * matrices", 1974), here in forward mode, all colours at once by {@code vmap}. The pattern is found
 * by following every element through the recorded function, or given. Arguments and results of any
 * shape count in row-major order.
 */
public final class SparseJacobian {
    private final int width;
    private final int[] starts;
    private final int[] columns;
    private final int[] colours;
    private final int count;

    private SparseJacobian(int width, int[] starts, int[] columns) {
        this.width = width;
        this.starts = starts;
        this.columns = columns;
        this.colours = colours(width, starts, columns);
        this.count = Arrays.stream(colours).max().orElse(-1) + 1;
    }

    /**
     * The pattern of {@code f} for arguments like {@code example}. It is that of the ops, whatever
     * the numbers; an index that depends on the argument reaches its whole axis. What goes through
     * a loop, a branch, a convolution, attention or plain Java is taken to depend on all that goes
     * in: give the pattern there.
     */
    public static SparseJacobian of(Fn<Tensor, Tensor> f, Tensor example) {
        var trace = Trace.of(in -> List.of(f.apply(in.getFirst())), List.of(example.type()));
        var sets = Dependencies.of(trace);
        var starts = new int[sets.size() + 1];
        for (int i = 0; i < sets.size(); i++) starts[i + 1] = starts[i] + sets.get(i).length;
        var columns = sets.stream().flatMapToInt(Arrays::stream).toArray();
        return new SparseJacobian(Math.toIntExact(example.type().size()), starts, columns);
    }

    /** A pattern in compressed rows; every place that may be other than zero must be in it. */
    public static SparseJacobian of(int width, int[] starts, int[] columns) {
        boolean good =
                starts.length > 0
                        && starts[0] == 0
                        && starts[starts.length - 1] == columns.length
                        && Arrays.stream(columns).allMatch(c -> c >= 0 && c < width);
        if (!good) {
            throw new ShapeException(
                    ("a pattern of width %s with starts %s and %s columns; starts begin with 0, end"
                         + " with the number of columns, and columns are below the width")
                            .formatted(width, Arrays.toString(starts), columns.length));
        }
        return new SparseJacobian(width, starts.clone(), columns.clone());
    }

    /** The number of directional derivatives for one Jacobian. */
    public int colours() {
        return count;
    }

    /** The number of entries of the pattern. */
    public int entries() {
        return columns.length;
    }

    /** The Jacobian of {@code f}, which has this pattern, at {@code x}. */
    public Csr at(Fn<Tensor, Tensor> f, Tensor x) {
        if (x.type().size() != width) {
            throw new ShapeException(
                    "a pattern of " + width + " columns for an argument " + x.type());
        }
        var type = new Type(x.dtype(), dev.ebb.ir.Shape.of(count, width));
        var seeds = new double[count * width];
        for (int c = 0; c < width; c++) seeds[colours[c] * width + c] = 1;
        Fn<Tensor, Tensor> along =
                d -> Ebb.jvp(f).apply(x, d.reshape(x.shape())).tangent().reshape(-1);
        var compressed = Ebb.vmap(along).apply(Array.of(type, seeds));
        int height = starts.length - 1;
        if (compressed.dim(1) != height) {
            throw new ShapeException(
                    "a pattern of " + height + " rows for a value of " + compressed.dim(1));
        }
        var places = new long[columns.length];
        for (int i = 0; i < height; i++) {
            for (int k = starts[i]; k < starts[i + 1]; k++) {
                places[k] = (long) colours[columns[k]] * height + i;
            }
        }
        var values = compressed.reshape(-1).indexSelect(0, Array.of(places));
        return new Csr(Array.of(starts), Array.of(columns), values, width);
    }

    /** For each column the least colour that no earlier column of one of its rows has. */
    private static int[] colours(int width, int[] starts, int[] columns) {
        var rows = new ArrayList<List<Integer>>();
        for (int c = 0; c < width; c++) rows.add(new ArrayList<>());
        for (int i = 0; i < starts.length - 1; i++) {
            for (int k = starts[i]; k < starts[i + 1]; k++) rows.get(columns[k]).add(i);
        }
        var colours = new int[width];
        var takenBy = new int[width + 1];
        Arrays.fill(takenBy, -1);
        for (int c = 0; c < width; c++) {
            for (int row : rows.get(c)) {
                for (int k = starts[row]; k < starts[row + 1]; k++) {
                    if (columns[k] < c) takenBy[colours[columns[k]]] = c;
                }
            }
            int free = 0;
            while (takenBy[free] == c) free++;
            colours[c] = free;
        }
        return colours;
    }
}
