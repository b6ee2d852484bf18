package dev.ebb.cpu.move;

import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.lang.foreign.MemorySegment;

/**
 * Sorts every line by merge sort, between the two halves of the workspace. The merged items are
 * longs. For types of at most 32 bits an item is the element, mapped to an integer with the same
 * order, followed by its index; for longer types it is the index only.
 */
public final class SortKernel implements Runnable {
    /** Runs of this length are sorted by insertion. */
    private static final int SHORTEST = 8;

    /** The most lines that are sorted at the same time, each in its own workspace. */
    private static final int MOST_PARTS = 8;

    private final Kernel.Sort k;
    private final Buffer in;
    private final Buffer out;
    private final MemorySegment space;
    private final WorkerGroup workers;
    private final boolean packed;

    public SortKernel(Kernel.Sort k, Buffer in, Buffer out, Buffer workspace, WorkerGroup workers) {
        this.k = k;
        this.in = in;
        this.out = out;
        this.workers = workers;
        space = workspace.segment();
        packed = in.dtype() != DType.F64 && in.dtype() != DType.I64;
    }

    public static long workspaceBytes(Kernel.Sort k) {
        return parts(k) * 2L * DType.I64.bytes(k.length());
    }

    private static long lines(Kernel.Sort k) {
        return k.outer() * k.inner();
    }

    private static int parts(Kernel.Sort k) {
        boolean large = lines(k) * k.length() >= Workers.GRAIN;
        return large ? (int) Math.min(lines(k), MOST_PARTS) : 1;
    }

    @Override
    public void run() {
        int parts = parts(k);
        workers.run(
                parts,
                (part, _) -> {
                    long last = lines(k) * (part + 1) / parts;
                    long room = part * 2L * DType.I64.bytes(k.length());
                    for (long line = lines(k) * part / parts; line < last; line++) {
                        long start = line / k.inner() * k.length() * k.inner() + line % k.inner();
                        write(start, sort(start, room));
                    }
                });
    }

    private void write(long start, long sorted) {
        for (int j = 0; j < k.length(); j++) {
            long item = space.get(RunLoads.LONG, sorted + 8L * j);
            out.setLong(start + j * k.inner(), packed ? item & 0xffffffffL : item);
        }
    }

    /**
     * Sorts one line in the workspace from byte {@code room} on; returns the start of the result.
     */
    private long sort(long start, long room) {
        for (int j = 0; j < k.length(); j++) {
            long item = packed ? key(start, j) << 32 | j : j;
            space.set(RunLoads.LONG, room + 8L * j, item);
        }
        for (int low = 0; low < k.length(); low += SHORTEST)
            insert(start, room, low, Math.min(low + SHORTEST, k.length()));
        long from = room;
        long to = room + 8L * k.length();
        for (long run = SHORTEST; run < k.length(); run *= 2) {
            for (long low = 0; low < k.length(); low += 2 * run) {
                long middle = Math.min(low + run, k.length());
                merge(start, from, to, low, middle, Math.min(low + 2 * run, k.length()));
            }
            long swap = from;
            from = to;
            to = swap;
        }
        return from;
    }

    private void insert(long start, long room, int low, int high) {
        for (int j = low + 1; j < high; j++) {
            long item = space.get(RunLoads.LONG, room + 8L * j);
            int at = j;
            for (; at > low; at--) {
                long before = space.get(RunLoads.LONG, room + 8L * (at - 1));
                if (isOrdered(start, before, item)) break;
                space.set(RunLoads.LONG, room + 8L * at, before);
            }
            space.set(RunLoads.LONG, room + 8L * at, item);
        }
    }

    private void merge(long start, long from, long to, long low, long middle, long high) {
        long left = low;
        long right = middle;
        for (long j = low; j < high; j++) {
            boolean first =
                    right == high
                            || (left < middle
                                    && isOrdered(
                                            start,
                                            space.get(RunLoads.LONG, from + 8 * left),
                                            space.get(RunLoads.LONG, from + 8 * right)));
            long item = space.get(RunLoads.LONG, from + 8 * (first ? left++ : right++));
            space.set(RunLoads.LONG, to + 8 * j, item);
        }
    }

    /** Whether item {@code a} may stay before item {@code b}. */
    private boolean isOrdered(long start, long a, long b) {
        return packed ? a < b : key(start, a) <= key(start, b);
    }

    /** An integer whose order is that of element {@code j} of a line. */
    private long key(long start, long j) {
        long at = start + j * k.inner();
        long key =
                switch (in.dtype()) {
                    case F32, BF16, F16 -> {
                        float x = (float) in.get(at);
                        int bits = x == 0 ? 0 : Float.floatToIntBits(x);
                        yield bits ^ (bits >> 31 & Integer.MAX_VALUE);
                    }
                    case F64 -> {
                        double x = in.get(at);
                        long bits = x == 0 ? 0 : Double.doubleToLongBits(x);
                        yield bits ^ (bits >> 63 & Long.MAX_VALUE);
                    }
                    case I32, I64, U8, BOOL, BIT -> in.getLong(at);
                };
        return k.descending() ? ~key : key;
    }
}
