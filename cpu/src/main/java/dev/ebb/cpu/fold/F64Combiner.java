package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel.Combine;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Combines f64 with plain loops. */
final class F64Combiner extends Combiner {
    /** Rows of at most this many elements are combined without lanes in memory. */
    private static final int SHORT = 8;

    private final Combine combine;
    private final double identity;

    F64Combiner(Combine combine) {
        this.combine = combine;
        identity =
                switch (combine) {
                    case SUM -> 0;
                    case PROD -> 1;
                    case MAX -> Double.NEGATIVE_INFINITY;
                    case MIN -> Double.POSITIVE_INFINITY;
                };
    }

    @Override
    ScratchArray blocks() {
        return ScratchArray.F64_BLOCK;
    }

    @Override
    ScratchArray sums() {
        return ScratchArray.F64_SUMS;
    }

    @Override
    long identity() {
        return Double.doubleToRawLongBits(identity);
    }

    @Override
    long combine(long x, long y) {
        return Double.doubleToRawLongBits(
                apply(Double.longBitsToDouble(x), Double.longBitsToDouble(y)));
    }

    private double apply(double x, double y) {
        return switch (combine) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }

    @Override
    void set(Buffer out, long index, long value) {
        out.set(index, Double.longBitsToDouble(value));
    }

    @Override
    void gather(Tile t, int from, int at, int n) {
        System.arraycopy(t.f64, from, t.f64Block, at, n);
    }

    @Override
    long register(Tile t, int from, int n) {
        return row(t.f64, from, t.f64Lanes, n);
    }

    @Override
    long block(Tile t, int n) {
        return row(t.f64Block, 0, t.f64Lanes, n);
    }

    /**
     * Lanes without an element are skipped: combining with the identity changes no bit, because a
     * sum starts with a zero to which elements are added, and so is never a negative zero.
     */
    private long row(double[] x, int from, double[] lanes, int n) {
        if (n <= SHORT) return Double.doubleToRawLongBits(shortRow(x, from, n));
        int used = Math.min(n, LANES);
        if (combine == Combine.SUM) for (int l = 0; l < used; l++) lanes[l] = 0.0 + x[from + l];
        else System.arraycopy(x, from, lanes, 0, used);
        for (int done = LANES; done < n; done += LANES)
            combine(lanes, x, from + done, Math.min(LANES, n - done));
        for (int half = LANES / 2; half > 0; half /= 2) {
            if (used <= half) continue;
            combine(lanes, lanes, half, used - half);
            used = half;
        }
        return Double.doubleToRawLongBits(lanes[0]);
    }

    /** The same without lanes in memory; lanes without an element are the identity. */
    private double shortRow(double[] x, int from, int n) {
        if (n == 0) return identity;
        double zero = combine == Combine.SUM ? 0.0 : identity;
        double a = first(x[from]);
        if (n == 1) return a;
        double b = first(x[from + 1]);
        if (n == 2) return apply(a, b);
        double c = first(x[from + 2]);
        double d = n > 3 ? first(x[from + 3]) : zero;
        if (n > 4) {
            a = apply(a, first(x[from + 4]));
            if (n > 5) b = apply(b, first(x[from + 5]));
            if (n > 6) c = apply(c, first(x[from + 6]));
            if (n > 7) d = apply(d, first(x[from + 7]));
        }
        return apply(apply(a, c), apply(b, d));
    }

    private double first(double x) {
        return combine == Combine.SUM ? 0.0 + x : x;
    }

    /** Combines the first {@code n} lanes with {@code n} elements. */
    private void combine(double[] lanes, double[] x, int from, int n) {
        switch (combine) {
            case SUM -> {
                for (int l = 0; l < n; l++) lanes[l] += x[from + l];
            }
            case MAX -> {
                for (int l = 0; l < n; l++) lanes[l] = Math.max(lanes[l], x[from + l]);
            }
            case PROD, MIN -> {
                for (int l = 0; l < n; l++) lanes[l] = apply(lanes[l], x[from + l]);
            }
        }
    }

    @Override
    void clear(Tile t, int level, int n) {
        Arrays.fill(t.f64Sums[level], 0, n, identity);
    }

    @Override
    void add(Tile t, int from, int n) {
        columns(t.f64, from, t.f64Sums[0], n);
    }

    @Override
    void addRows(Tile t, int from, int rows, int n) {
        if (combine != Combine.SUM || n > SHORT) {
            super.addRows(t, from, rows, n);
            return;
        }
        for (int l = 0; l < n; l++) {
            double sum = t.f64Sums[0][l];
            for (int j = 0; j < rows; j++) sum += t.f64[from + j * n + l];
            t.f64Sums[0][l] = sum;
        }
    }

    @Override
    void rise(Tile t, int level, int n) {
        columns(t.f64Sums[level], 0, t.f64Sums[level + 1], n);
    }

    private void columns(double[] x, int from, double[] sums, int n) {
        combine(sums, x, from, n);
    }

    @Override
    int bytes() {
        return 8;
    }

    @Override
    void save(Tile t, MemorySegment to, long at, int n) {
        MemorySegment.copy(t.f64Sums[1], 0, to, RunLoads.DOUBLE, at, n);
    }

    @Override
    void recall(Tile t, MemorySegment from, long at, int n) {
        MemorySegment.copy(from, RunLoads.DOUBLE, at, t.f64Sums[1], 0, n);
    }

    @Override
    void finish(Tile t, Buffer out, long index, int n) {
        for (int i = 0; i < n; i++) out.set(index + i, t.f64Sums[2][i]);
    }
}
