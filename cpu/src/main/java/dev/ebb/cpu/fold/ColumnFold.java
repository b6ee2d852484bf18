package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Folds rows into one: the innermost axis is kept, and every column has its own accumulator. Rows
 * are combined in order, 64 at a time, these sums into at most 64 chunks, and the chunks in order,
 * so that the rounding error grows slowly.
 *
 * <p>Threads share either chunks, whose accumulators are kept in the workspace, or columns, if that
 * workspace would be large. The order is the same.
 */
final class ColumnFold implements Runnable {
    private static final int SUB = 64;
    private static final int MOST_CHUNKS = 64;
    private static final long MOST_WORKSPACE = 512 * 1024;
    private static final int SHARED_WIDTH = 512;

    private final FoldBody body;
    private final Combiner combiner;
    private final AxisGroups outer;
    private final long kept;
    private final long folded;
    private final long columns;
    private final long chunk;
    private final long chunks;
    private final boolean byChunks;
    private final int width;
    private final long blocks;

    /** The number of consecutive rows: the size of the innermost folded axis. */
    private final long together;

    private final Buffer out;
    private final MemorySegment partials;
    private final WorkerGroup workers;
    private final Tiles tiles;

    ColumnFold(
            FoldBody body,
            Combiner combiner,
            AxisGroups groups,
            Buffer out,
            MemorySegment partials,
            WorkerGroup workers,
            Tiles tiles) {
        this.body = body;
        this.combiner = combiner;
        this.out = out;
        this.partials = partials;
        this.workers = workers;
        this.tiles = tiles;
        outer = groups.withoutLast();
        kept = outer.size(false);
        folded = outer.size(true);
        columns = groups.lastSize();
        together = outer.lastSize();
        chunk = chunk(folded);
        chunks = Math.ceilDiv(folded, chunk);
        byChunks = workspaceBytes(groups, combiner) > 0;
        width = width(columns, body.length(), byChunks);
        blocks = Math.ceilDiv(columns, width);
    }

    private static int width(long columns, int bodyLength, boolean byChunks) {
        return (int) Math.min(columns, Math.min(bodyLength, byChunks ? Tile.LENGTH : SHARED_WIDTH));
    }

    /**
     * The scratch memory that a fold of columns needs for each worker in addition to its body's.
     */
    static KernelScratch scratch(AxisGroups groups, int bodyLength, Combiner combiner) {
        if (groups.size() == 0) return KernelScratch.NOTHING;
        var outer = groups.withoutLast();
        long folded = outer.size(true);
        long chunk = chunk(folded);
        boolean byChunks = workspaceBytes(groups, combiner) > 0;
        int width = width(groups.lastSize(), bodyLength, byChunks);
        long units = outer.size(false) * Math.ceilDiv(groups.lastSize(), width);
        if (byChunks) units *= Math.ceilDiv(folded, chunk);
        long some = together(Math.min(folded, byChunks ? chunk : folded) * width);
        return KernelScratch.shared(Math.ceilDiv(units, some))
                .and(ScratchArray.WALKS, 1)
                .and(combiner.sums(), Math.ceilDiv(width, 8) * 8 + Tile.PADDING);
    }

    /** The number of units of this size in a part. */
    private static long together(long elements) {
        return Math.max(1, Workers.GRAIN / elements);
    }

    /**
     * The rows of a chunk: a power of two, so that folds and products can be split at the same
     * rows.
     */
    private static long chunk(long folded) {
        long least = Math.max(SUB, Math.ceilDiv(folded, MOST_CHUNKS));
        return Long.highestOneBit(least - 1) << 1;
    }

    /**
     * How many indices of {@code axis} form one chunk of a fold over {@code axes}; {@link
     * Node.Cuts#NEVER} if they do not form one. The axis must be the outermost folded axis and not
     * merged with the innermost. A chunk is folded in the same order by itself if it has at most
     * {@link #MOST_CHUNKS} sums.
     */
    static int cutEvery(Shape shape, List<Integer> axes, int axis) {
        var groups = AxisGroups.of(shape, axes);
        long folded = (groups.endsFolded() ? groups.withoutLast() : groups).size(true);
        var outer = axes.stream().filter(d -> shape.dim(d) != 1).toList();
        if (folded == 0
                || outer.isEmpty()
                || outer.getFirst() != axis
                || folded % shape.dim(axis) != 0) return Node.Cuts.NEVER;
        long inner = folded / shape.dim(axis);
        long chunk = chunk(folded);
        return chunk <= SUB * MOST_CHUNKS && chunk % inner == 0
                ? (int) (chunk / inner)
                : Node.Cuts.NEVER;
    }

    /** The workspace for the accumulators of chunks; zero if it is better to share columns. */
    static long workspaceBytes(AxisGroups groups, Combiner combiner) {
        var outer = groups.withoutLast();
        long chunks = Math.ceilDiv(outer.size(true), chunk(outer.size(true)));
        long bytes = outer.size(false) * groups.lastSize() * chunks * combiner.bytes();
        return chunks > 1 && bytes <= MOST_WORKSPACE ? bytes : 0;
    }

    @Override
    public void run() {
        body.expect(kept * folded * columns);
        long elements = Math.min(folded, byChunks ? chunk : folded) * width;
        long units = kept * blocks * (byChunks ? chunks : 1);
        long some = together(elements);
        int parts = Math.toIntExact(Math.ceilDiv(units, some));
        workers.run(
                parts,
                (part, worker) ->
                        part(tiles.of(worker), part * some, Math.min(units, (part + 1) * some)));
        if (byChunks) {
            workers.run(
                    1,
                    (_, worker) -> {
                        for (long u = 0; u < kept * blocks; u++)
                            collect(tiles.of(worker), u / blocks, u % blocks);
                    });
        }
    }

    private void part(Tile tile, long from, long to) {
        body.begin(tile, body.length());
        for (long u = from; u < to; u++) {
            if (byChunks) {
                long c = u / blocks % chunks;
                long k = u / blocks / chunks;
                int n = widthOf(u % blocks);
                accumulate(tile, k, u % blocks, c, n);
                combiner.save(tile, partials, at(k, c, u % blocks), n);
            } else {
                int n = widthOf(u % blocks);
                combiner.clear(tile, 2, n);
                for (long c = 0; c < chunks; c++) {
                    accumulate(tile, u / blocks, u % blocks, c, n);
                    combiner.rise(tile, 1, n);
                }
                combiner.finish(tile, out, u / blocks * columns + u % blocks * width, n);
            }
        }
    }

    private int widthOf(long block) {
        return (int) Math.min(width, columns - block * width);
    }

    private long at(long k, long c, long block) {
        return ((k * chunks + c) * columns + block * width) * combiner.bytes();
    }

    private void collect(Tile tile, long k, long block) {
        int n = widthOf(block);
        combiner.clear(tile, 2, n);
        for (long c = 0; c < chunks; c++) {
            combiner.recall(tile, partials, at(k, c, block), n);
            combiner.rise(tile, 1, n);
        }
        combiner.finish(tile, out, k * columns + block * width, n);
    }

    /** Folds one chunk of rows into the accumulators of level 1. */
    private void accumulate(Tile tile, long k, long block, long c, int n) {
        long last = Math.min(folded, (c + 1) * chunk);
        combiner.clear(tile, 1, n);
        for (long row = c * chunk; row < last; row += SUB) {
            combiner.clear(tile, 0, n);
            rows(tile, k, block, row, Math.min(last, row + SUB), n);
            combiner.rise(tile, 0, n);
        }
    }

    private void rows(Tile tile, long k, long block, long from, long to, int n) {
        int most = blocks == 1 ? Math.max(1, body.length() / n) : 1;
        for (long row = from; row < to; ) {
            int some = (int) Math.min(most, Math.min(to - row, together - row % together));
            long position = outer.position(k, row) * columns + block * width;
            body.run(tile, position, some * n);
            combiner.addRows(tile, body.result(), some, n);
            row += some;
        }
    }
}
