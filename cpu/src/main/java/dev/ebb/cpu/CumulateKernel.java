package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Combine;

/**
 * Running sums, products and extremes along the middle of three axes; threads share the other two.
 */
final class CumulateKernel implements Runnable {
    private static final int COLUMNS = 256;

    private final Kernel.Cumulate k;
    private final Buffer in;
    private final Buffer out;
    private final Crew workers;
    private final long blocks;

    CumulateKernel(Kernel.Cumulate k, Buffer in, Buffer out, Crew workers) {
        this.k = k;
        this.in = in;
        this.out = out;
        this.workers = workers;
        blocks = Math.ceilDiv(k.inner(), COLUMNS);
    }

    @Override
    public void run() {
        if (k.outer() * k.length() * k.inner() == 0) return;
        long units = k.outer() * blocks;
        long some = Math.max(1, MapKernel.GRAIN / (k.length() * Math.min(k.inner(), COLUMNS)));
        int parts = Math.toIntExact(Math.ceilDiv(units, some));
        workers.run(
                parts,
                (part, _) -> {
                    long last = Math.min(units, (part + 1) * some);
                    for (long u = part * some; u < last; u++)
                        block(u / blocks, u % blocks * COLUMNS);
                });
    }

    private void block(long outer, long column) {
        int n = (int) Math.min(COLUMNS, k.inner() - column);
        for (int j = 0; j < k.length(); j++) {
            int here = k.reverse() ? k.length() - 1 - j : j;
            long at = (outer * k.length() + here) * k.inner() + column;
            if (j == 0) Moves.copy(in, at, 1, out, at, 1, n);
            else if (out.dtype() == DType.F32)
                floats(at, k.reverse() ? at + k.inner() : at - k.inner(), n);
            else others(at, k.reverse() ? at + k.inner() : at - k.inner(), n);
        }
    }

    private void floats(long at, long before, int n) {
        for (int i = 0; i < n; i++) {
            float x = out.segment().get(Reads.FLOAT, (before + i) * 4);
            float y = in.segment().get(Reads.FLOAT, (at + i) * 4);
            out.segment().set(Reads.FLOAT, (at + i) * 4, combine(x, y));
        }
    }

    private float combine(float x, float y) {
        return switch (k.combine()) {
            case SUM -> x + y;
            case PROD -> x * y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
        };
    }

    private void others(long at, long before, int n) {
        for (int i = 0; i < n; i++) {
            if (out.dtype().isFloat()) {
                out.set(at + i, combine(k.combine(), out.get(before + i), in.get(at + i)));
            } else {
                out.setLong(
                        at + i, combine(k.combine(), out.getLong(before + i), in.getLong(at + i)));
            }
        }
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
