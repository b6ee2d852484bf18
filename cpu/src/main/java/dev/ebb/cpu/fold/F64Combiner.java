package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.Bank;
import dev.ebb.cpu.tile.Reads;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel.Combine;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Combines f64, by plain loops. */
final class F64Combiner extends Combiner {
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
    Bank blocks() {
        return Bank.F64_BLOCK;
    }

    @Override
    Bank sums() {
        return Bank.F64_SUMS;
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

    private long row(double[] x, int from, double[] lanes, int n) {
        Arrays.fill(lanes, identity);
        if (combine == Combine.SUM) sum(x, from, lanes, n);
        else plain(x, from, lanes, n);
        for (int half = LANES / 2; half > 0; half /= 2) {
            for (int l = 0; l < half; l++) lanes[l] = apply(lanes[l], lanes[l + half]);
        }
        return Double.doubleToRawLongBits(lanes[0]);
    }

    private static void sum(double[] x, int from, double[] lanes, int n) {
        for (int i = 0; i < n; i++) lanes[i & (LANES - 1)] += x[from + i];
    }

    private void plain(double[] x, int from, double[] lanes, int n) {
        for (int i = 0; i < n; i++) {
            int l = i & (LANES - 1);
            lanes[l] = apply(lanes[l], x[from + i]);
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
    void rise(Tile t, int level, int n) {
        columns(t.f64Sums[level], 0, t.f64Sums[level + 1], n);
    }

    private void columns(double[] x, int from, double[] sums, int n) {
        for (int i = 0; i < n; i++) sums[i] = apply(sums[i], x[from + i]);
    }

    @Override
    int bytes() {
        return 8;
    }

    @Override
    void save(Tile t, MemorySegment to, long at, int n) {
        MemorySegment.copy(t.f64Sums[1], 0, to, Reads.DOUBLE, at, n);
    }

    @Override
    void recall(Tile t, MemorySegment from, long at, int n) {
        MemorySegment.copy(from, Reads.DOUBLE, at, t.f64Sums[1], 0, n);
    }

    @Override
    void finish(Tile t, Buffer out, long index, int n) {
        for (int i = 0; i < n; i++) out.set(index + i, t.f64Sums[2][i]);
    }
}
