package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;

import java.lang.foreign.MemorySegment;

/**
 * Folds rows of consecutive elements, each in the order of a {@link RowTree}. In this order, 64
 * blocks that start at a multiple of 64 form a separate subtree: threads share long rows by such
 * chunks, whose values are kept in the workspace.
 */
final class RowFold implements Runnable {
    private static final int CHUNK = 64;

    private final FoldBody body;
    private final Combiner combiner;
    private final RowTree tree;
    private final long rows;
    private final long length;
    private final long chunks;
    private final Buffer out;
    private final MemorySegment partials;
    private final WorkerGroup workers;
    private final Tiles tiles;
    private final long units;
    private final long unitsAPart;

    RowFold(
            FoldBody body,
            Combiner combiner,
            long rows,
            long length,
            Buffer out,
            MemorySegment partials,
            WorkerGroup workers,
            Tiles tiles) {
        this.body = body;
        this.combiner = combiner;
        tree = new RowTree(body, combiner);
        this.rows = rows;
        this.length = length;
        this.out = out;
        this.partials = partials;
        this.workers = workers;
        this.tiles = tiles;
        chunks = chunks(length);
        units = rows * chunks;
        unitsAPart = unitsAPart(length);
    }

    private static long chunks(long length) {
        return Math.ceilDiv(length, (long) CHUNK * Tile.LENGTH);
    }

    private static long unitsAPart(long length) {
        return Math.max(1, Workers.GRAIN / Math.min(length, (long) CHUNK * Tile.LENGTH));
    }

    /** The scratch memory that a fold of rows needs for each worker in addition to its body's. */
    static KernelScratch scratch(long rows, long length, int bodyLength, Combiner combiner) {
        long parts = Math.ceilDiv(rows * chunks(length), unitsAPart(length));
        var scratch = KernelScratch.shared(parts).and(ScratchArray.WALKS, 1);
        return scratch.and(RowTree.scratch(length, bodyLength, combiner));
    }

    /** The workspace for the values of chunks. */
    static long workspaceBytes(long rows, long length) {
        return chunks(length) == 1 ? 0 : rows * chunks(length) * 8;
    }

    @Override
    public void run() {
        body.expect(rows * length);
        workers.run(Math.toIntExact(Math.ceilDiv(units, unitsAPart)), this::part);
        if (chunks > 1) workers.run(1, this::finish);
    }

    private void part(int part, int worker) {
        var tile = tiles.of(worker);
        long from = part * unitsAPart;
        long to = Math.min(units, from + unitsAPart);
        body.begin(tile, (int) Math.min(body.length(), (to - from) * length));
        if (2 * length <= body.length()) {
            shortRows(tile, from, to);
        } else {
            for (long u = from; u < to; u++) {
                long value = chunk(tile, u / chunks, u % chunks);
                if (chunks == 1) combiner.set(out, u, value);
                else partials.set(RunLoads.LONG, u * 8, value);
            }
        }
    }

    /** Folds several rows per tile. */
    private void shortRows(Tile tile, long from, long to) {
        int width = (int) length;
        int most = body.length() / width;
        for (long row = from; row < to; row += most) {
            int some = (int) Math.min(most, to - row);
            body.run(tile, row * length, some * width);
            for (int j = 0; j < some; j++) {
                combiner.set(
                        out, row + j, combiner.register(tile, body.result() + j * width, width));
            }
        }
    }

    private long chunk(Tile tile, long row, long chunk) {
        long first = chunk * CHUNK * Tile.LENGTH;
        long last = Math.min(length, first + (long) CHUNK * Tile.LENGTH);
        return tree.fold(tile, row * length + first, last - first);
    }

    private void finish(int part, int worker) {
        var tile = tiles.of(worker);
        for (long row = 0; row < rows; row++) {
            int count = 0;
            for (long c = 0; c < chunks; c++) {
                count =
                        tree.carry(
                                tile, count, partials.get(RunLoads.LONG, (row * chunks + c) * 8));
            }
            combiner.set(out, row, tree.total(tile, count));
        }
    }
}
