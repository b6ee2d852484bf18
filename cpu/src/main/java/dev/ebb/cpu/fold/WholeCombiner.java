package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Combines integers and booleans, all as long: they are not rounded, and overflow wraps when the
 * result is stored.
 */
final class WholeCombiner extends Combiner {
    private final Combine combine;
    private final boolean wide;
    private final long identity;

    WholeCombiner(Combine combine, DType type) {
        this.combine = combine;
        wide = type == DType.I64;
        boolean truth = type == DType.BOOL;
        identity =
                switch (combine) {
                    case SUM -> 0;
                    case PROD -> 1;
                    case MAX -> truth ? 0 : wide ? Long.MIN_VALUE : Integer.MIN_VALUE;
                    case MIN -> truth ? 1 : wide ? Long.MAX_VALUE : Integer.MAX_VALUE;
                };
    }

    @Override
    ScratchArray blocks() {
        return ScratchArray.I64_BLOCK;
    }

    @Override
    ScratchArray sums() {
        return ScratchArray.I64_SUMS;
    }

    @Override
    long identity() {
        return identity;
    }

    @Override
    long combine(long x, long y) {
        return switch (combine) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }

    @Override
    void set(Buffer out, long index, long value) {
        out.setLong(index, value);
    }

    @Override
    void gather(Tile t, int from, int at, int n) {
        for (int i = 0; i < n; i++) t.i64Block[at + i] = wide ? t.i64[from + i] : t.i32[from + i];
    }

    @Override
    long register(Tile t, int from, int n) {
        return wide ? row(t.i64, from, n) : row(t.i32, from, n);
    }

    @Override
    long block(Tile t, int n) {
        return row(t.i64Block, 0, n);
    }

    private long row(long[] x, int from, int n) {
        long value = identity;
        for (int i = 0; i < n; i++) value = combine(value, x[from + i]);
        return value;
    }

    private long row(int[] x, int from, int n) {
        long value = identity;
        for (int i = 0; i < n; i++) value = combine(value, x[from + i]);
        return value;
    }

    @Override
    void clear(Tile t, int level, int n) {
        Arrays.fill(t.i64Sums[level], 0, n, identity);
    }

    @Override
    void add(Tile t, int from, int n) {
        if (wide) columns(t.i64, from, t.i64Sums[0], n);
        else columns(t.i32, from, t.i64Sums[0], n);
    }

    @Override
    void rise(Tile t, int level, int n) {
        columns(t.i64Sums[level], 0, t.i64Sums[level + 1], n);
    }

    private void columns(long[] x, int from, long[] sums, int n) {
        for (int i = 0; i < n; i++) sums[i] = combine(sums[i], x[from + i]);
    }

    private void columns(int[] x, int from, long[] sums, int n) {
        for (int i = 0; i < n; i++) sums[i] = combine(sums[i], x[from + i]);
    }

    @Override
    int bytes() {
        return 8;
    }

    @Override
    void save(Tile t, MemorySegment to, long at, int n) {
        MemorySegment.copy(t.i64Sums[1], 0, to, RunLoads.LONG, at, n);
    }

    @Override
    void recall(Tile t, MemorySegment from, long at, int n) {
        MemorySegment.copy(from, RunLoads.LONG, at, t.i64Sums[1], 0, n);
    }

    @Override
    void finish(Tile t, Buffer out, long index, int n) {
        for (int i = 0; i < n; i++) out.setLong(index + i, t.i64Sums[2][i]);
    }
}
