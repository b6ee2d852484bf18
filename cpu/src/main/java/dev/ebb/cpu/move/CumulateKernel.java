package dev.ebb.cpu.move;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Combine;

import java.util.List;

/**
 * Running sums, weighted sums, products and extremes along the middle of three axes; threads share
 * the other two axes. The running value is held in double or long, and rounded when it is stored.
 */
public final class CumulateKernel implements Runnable {
    private static final int COLUMNS = 256;

    private final Kernel.Cumulate k;
    private final Buffer in;
    private final Buffer weights;
    private final Buffer out;
    private final WorkerGroup workers;
    private final Tiles tiles;
    private final long blocks;

    public CumulateKernel(
            Kernel.Cumulate k, List<Buffer> inputs, Buffer out, WorkerGroup workers, Tiles tiles) {
        this.k = k;
        in = inputs.getLast();
        weights = inputs.getFirst();
        this.out = out;
        this.workers = workers;
        this.tiles = tiles;
        blocks = Math.ceilDiv(k.inner(), COLUMNS);
    }

    /**
     * The scratch memory that such a kernel needs for each worker: the running values of a block of
     * columns.
     */
    public static KernelScratch scratch(Kernel.Cumulate k, DType out) {
        if (k.outer() * k.length() * k.inner() == 0) return KernelScratch.NOTHING;
        long units = k.outer() * Math.ceilDiv(k.inner(), COLUMNS);
        return KernelScratch.shared(Math.ceilDiv(units, together(k)))
                .and(
                        out.isFloat() ? ScratchArray.F64_SUMS : ScratchArray.I64_SUMS,
                        (int) Math.min(k.inner(), COLUMNS));
    }

    /** The number of blocks of columns in a part. */
    private static long together(Kernel.Cumulate k) {
        return Math.max(1, Workers.GRAIN / (k.length() * Math.min(k.inner(), COLUMNS)));
    }

    @Override
    public void run() {
        if (k.outer() * k.length() * k.inner() == 0) return;
        long units = k.outer() * blocks;
        long some = together(k);
        int parts = Math.toIntExact(Math.ceilDiv(units, some));
        workers.run(
                parts,
                (part, worker) -> {
                    long last = Math.min(units, (part + 1) * some);
                    for (long u = part * some; u < last; u++)
                        block(tiles.of(worker), u / blocks, u % blocks * COLUMNS);
                });
    }

    private void block(Tile tile, long outer, long column) {
        int n = (int) Math.min(COLUMNS, k.inner() - column);
        var floats = tile.f64Sums[0];
        var wholes = tile.i64Sums[0];
        for (int j = 0; j < k.length(); j++) {
            int here = k.reverse() ? k.length() - 1 - j : j;
            long at = (outer * k.length() + here) * k.inner() + column;
            if (out.dtype() == DType.F32) singles(floats, at, n, j == 0);
            else if (out.dtype().isFloat()) floats(floats, at, n, j == 0);
            else wholes(wholes, at, n, j == 0);
        }
    }

    private void singles(double[] carry, long at, int n, boolean first) {
        for (int i = 0; i < n; i++) {
            double x = in.segment().get(RunLoads.FLOAT, (at + i) * 4);
            carry[i] = first ? x : next(carry[i], x, at + i);
            out.segment().set(RunLoads.FLOAT, (at + i) * 4, (float) carry[i]);
        }
    }

    private void floats(double[] carry, long at, int n, boolean first) {
        for (int i = 0; i < n; i++) {
            double x = in.get(at + i);
            carry[i] = first ? x : next(carry[i], x, at + i);
            out.set(at + i, carry[i]);
        }
    }

    private void wholes(long[] carry, long at, int n, boolean first) {
        for (int i = 0; i < n; i++) {
            long x = in.getLong(at + i);
            carry[i] = first ? x : combine(k.combine(), carry[i], x);
            out.setLong(at + i, carry[i]);
        }
    }

    private double next(double carry, double x, long at) {
        return k.weighted() ? x + weights.get(at) * carry : combine(k.combine(), carry, x);
    }

    private static double combine(Combine combine, double x, double y) {
        return switch (combine) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }

    private static long combine(Combine combine, long x, long y) {
        return switch (combine) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }
}
