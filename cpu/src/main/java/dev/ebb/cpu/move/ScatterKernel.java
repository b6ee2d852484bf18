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
import dev.ebb.ir.math.Checks;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Scatters that add. The terms of each target are listed first, in the order of the source, in the
 * workspace; then each target is summed in double and rounded once. So a sum of many terms in
 * sixteen bits is as accurate as its terms, targets without terms cost nothing, and no target is
 * written by two threads.
 *
 * <p>Lists are made for one {@link ScatterPlan position} of the axes along which the index does not
 * move the target; columns that have the same index share a list. Threads share columns if there is
 * one position, otherwise positions.
 */
public final class ScatterKernel implements Runnable {
    /** Fewer columns than a cache line holds are not worth a thread. */
    private static final int COLUMNS = 64;

    /** The most positions that are processed at the same time, each with its own lists. */
    private static final int MOST_PARTS = 8;

    private final Kernel.Scatter k;
    private final ScatterPlan plan;
    private final Buffer index;
    private final Buffer source;
    private final Buffer out;
    private final MemorySegment lists;
    private final WorkerGroup workers;
    private final Tiles tiles;

    public ScatterKernel(
            Kernel.Scatter k,
            Buffer index,
            Buffer source,
            Buffer out,
            Buffer workspace,
            WorkerGroup workers,
            Tiles tiles) {
        this.k = k;
        this.index = index;
        this.source = source;
        this.out = out;
        this.workers = workers;
        this.tiles = tiles;
        plan = new ScatterPlan(k);
        lists = workspace.segment();
    }

    /**
     * The bytes of the lists of terms: the first term of each list, and the successor of each term.
     */
    public static long workspaceBytes(Kernel.Scatter k) {
        if (k.shape().size() == 0) return 0;
        var plan = new ScatterPlan(k);
        return parts(plan) * listBytes(k, plan);
    }

    /**
     * The scratch memory that such a kernel needs for each worker: the sums of a range of columns.
     */
    public static KernelScratch scratch(Kernel.Scatter k, DType out) {
        if (k.shape().size() == 0) return KernelScratch.NOTHING;
        var plan = new ScatterPlan(k);
        int parts = plan.positions() == 1 ? columnParts(k, plan) : parts(plan);
        return KernelScratch.shared(parts)
                .and(
                        out.isFloat() ? ScratchArray.F64_SUMS : ScratchArray.I64_SUMS,
                        (int) Math.min(plan.columns(), Tile.LENGTH));
    }

    private static int columnParts(Kernel.Scatter k, ScatterPlan plan) {
        boolean large = k.shape().size() >= Workers.GRAIN;
        return large ? (int) Math.max(1, plan.columns() / COLUMNS) : 1;
    }

    private static int parts(ScatterPlan plan) {
        return (int) Math.min(plan.positions(), MOST_PARTS);
    }

    private static long listBytes(Kernel.Scatter k, ScatterPlan plan) {
        return Math.ceilDiv(4 * (k.bound() + plan.terms()), 64) * 64;
    }

    @Override
    public void run() {
        out.segment().asSlice(0, out.bytes()).fill((byte) 0);
        if (k.shape().size() == 0) return;
        if (plan.positions() == 1) shareColumns();
        else workers.run(parts(plan), this::positions);
    }

    private void shareColumns() {
        list(0, 0);
        int parts = columnParts(k, plan);
        workers.run(
                parts,
                (part, worker) ->
                        sum(
                                tiles.of(worker),
                                0,
                                0,
                                plan.columns() * part / parts,
                                plan.columns() * (part + 1) / parts));
    }

    private void positions(int part, int worker) {
        int parts = parts(plan);
        long room = part * listBytes(k, plan);
        long last = plan.positions() * (part + 1) / parts;
        for (long p = plan.positions() * part / parts; p < last; p++) {
            list(p, room);
            sum(tiles.of(worker), p, room, 0, plan.columns());
        }
    }

    /** Lists the terms of every target of position {@code p}, from byte {@code room} on. */
    private void list(long p, long room) {
        lists.asSlice(room, 4L * k.bound()).fill((byte) -1);
        long next = room + 4L * k.bound();
        long base = plan.index(p);
        for (long t = plan.terms() - 1; t >= 0; t--) {
            long which = Checks.index(index.getLong(base + plan.indexOf(t)), k.bound());
            lists.set(RunLoads.INT, next + 4 * t, lists.get(RunLoads.INT, room + 4 * which));
            lists.set(RunLoads.INT, room + 4 * which, (int) t);
        }
    }

    /** Sums columns {@code first} to {@code last}, exclusive, of every target that has terms. */
    private void sum(Tile tile, long p, long room, long first, long last) {
        for (int which = 0; which < k.bound(); which++) {
            int head = lists.get(RunLoads.INT, room + 4L * which);
            if (head < 0) continue;
            for (long c = first; c < last; c += Tile.LENGTH) {
                int n = (int) Math.min(Tile.LENGTH, last - c);
                long to = plan.target(p) + which * k.stride() + c;
                long from = plan.source(p) + c * plan.step();
                if (out.dtype().isFloat()) floats(tile.f64Sums[0], room, head, from, to, n);
                else wholes(tile.i64Sums[0], room, head, from, to, n);
            }
        }
    }

    private int after(long room, int term) {
        return lists.get(RunLoads.INT, room + 4L * k.bound() + 4L * term);
    }

    private void floats(double[] sums, long room, int head, long from, long to, int n) {
        Arrays.fill(sums, 0, n, 0);
        for (int t = head; t >= 0; t = after(room, t)) {
            long at = from + plan.sourceOf(t);
            if (source.dtype() == DType.F32) singles(sums, at, n);
            else for (int i = 0; i < n; i++) sums[i] += source.get(at + i * plan.step());
        }
        for (int i = 0; i < n; i++) out.set(to + i, sums[i]);
    }

    private void singles(double[] sums, long at, int n) {
        var memory = source.segment();
        long step = plan.step();
        for (int i = 0; i < n; i++) sums[i] += memory.get(RunLoads.FLOAT, (at + i * step) * 4);
    }

    private void wholes(long[] sums, long room, int head, long from, long to, int n) {
        Arrays.fill(sums, 0, n, 0);
        for (int t = head; t >= 0; t = after(room, t)) {
            long at = from + plan.sourceOf(t);
            for (int i = 0; i < n; i++) sums[i] += source.getLong(at + i * plan.step());
        }
        for (int i = 0; i < n; i++) out.setLong(to + i, sums[i]);
    }
}
