package dev.ebb.cpu.attend;

import dev.ebb.cpu.product.F32Blocks;
import dev.ebb.cpu.product.F32Pack;
import dev.ebb.cpu.product.F32Panels;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import jdk.incubator.vector.FloatVector;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * Attention without storing the matrix of scores: a block of queries processes the keys tile by
 * tile, and keeps for each query the maximum score, the sum of exponentials and the weighted sum of
 * values so far, all relative to that maximum (Milakov and Gimelshein, "Online normalizer
 * calculation for softmax"; Dao et al., "FlashAttention"). Its memory is the worker's scratch, for
 * any sequence length; tiles that the causal mask hides are skipped.
 */
public final class AttendForward implements Runnable {
    private static final int QUERIES = AttentionScores.QUERIES;
    private static final int KEYS = AttentionScores.KEYS;

    /** The fewest parts per worker, so that the workers finish at about the same time. */
    private static final int PARTS = 4;

    private final AttentionScores scores;
    private final AttentionShape h;
    private final HeadRows out;
    private final Buffer logsum;
    private final Tiles tiles;
    private final WorkerGroup workers;
    private final KeyTiles keyTiles;
    private final int blocks;

    /** The number of blocks of a head's queries in one part: all, if there are enough heads. */
    private final int together;

    private final int padded;

    /** Offsets of arrays in a worker's scratch memory; the queries come first. */
    private final int tile;

    private final int sums;
    private final int greatest;

    public AttendForward(
            Kernel.Attend kernel,
            List<Buffer> in,
            List<Buffer> out,
            Tiles tiles,
            WorkerGroup workers) {
        h = kernel.heads();
        scores = new AttentionScores(h, kernel.operands(), in);
        this.out = HeadRows.of(out.get(0), kernel.out(), h.heads());
        logsum = out.get(1);
        this.tiles = tiles;
        this.workers = workers;
        blocks = Math.ceilDiv(h.queries(), QUERIES);
        int parts = Math.ceilDiv(PARTS * workers.threads(), Math.max(1, h.batch() * h.heads()));
        together = Math.ceilDiv(blocks, Math.clamp(parts, 1, Math.max(1, blocks)));
        padded = AttentionScores.padded(h.valueWidth());
        tile = QUERIES * h.width();
        sums = tile + KEYS * QUERIES;
        greatest = sums + QUERIES * padded;
        int size = KEYS * (h.width() + padded);
        int free = greatest + 3 * QUERIES;
        keyTiles = new KeyTiles(h.keys(), free, size, workers.threads(), this::packKeys);
    }

    /** Whether the scratch of a worker is large enough. */
    public static boolean fits(AttentionShape h) {
        long padded = AttentionScores.padded(h.valueWidth());
        long scratch = (QUERIES + KEYS) * (h.width() + padded) + KEYS * QUERIES + 3 * QUERIES;
        return scratch <= F32Panels.stored();
    }

    /** The memory that this kernel needs of each worker. */
    public static KernelScratch scratch(AttentionShape h) {
        int padded = AttentionScores.mostPadded(h.valueWidth());
        int free = QUERIES * (h.width() + padded) + KEYS * QUERIES + 3 * QUERIES;
        int floats = KeyTiles.end(h.keys(), free, KEYS * (h.width() + padded));
        long parts = (long) h.batch() * h.heads() * Math.ceilDiv(h.queries(), QUERIES);
        return F32Panels.scratch(parts, floats);
    }

    @Override
    public void run() {
        int parts = Math.ceilDiv(blocks, Math.max(1, together));
        workers.run(Math.multiplyExact(h.batch() * h.heads(), parts), this::blocks);
    }

    private void blocks(int part, int worker) {
        int parts = Math.ceilDiv(blocks, together);
        int from = part % parts * together;
        keyTiles.begin(worker);
        for (int i = from; i < Math.min(from + together, blocks); i++) {
            block(part / parts, i * QUERIES, worker);
        }
    }

    private void block(int head, int first, int worker) {
        int count = Math.min(QUERIES, h.queries() - first);
        var x = tiles.of(worker).f32Panel;
        scores.packQueries(head, first, count, x, 0);
        Arrays.fill(x, sums, greatest, 0f);
        Arrays.fill(x, greatest, greatest + QUERIES, Float.NEGATIVE_INFINITY);
        Arrays.fill(x, greatest + QUERIES, greatest + 2 * QUERIES, 0f);
        int visible = scores.visible(first + count);
        for (int key = 0; key < visible; key += KEYS) {
            int keys = keyTiles.place(worker, scores.keyHead(head), key, x);
            advance(x, head, first, count, key, Math.min(KEYS, visible - key), keys);
        }
        for (int i = 0; i < count; i++) finish(x, head, first, i);
    }

    /** Packs rows of keys, followed by panels of values. */
    private void packKeys(int keyHead, int key, float[] x, int at) {
        int keys = Math.min(KEYS, h.keys() - key);
        var k = scores.keys;
        var v = scores.values;
        int after = at + KEYS * h.width();
        F32Pack.PACK.rows(k.buffer(), k.at(keyHead, key), k.row(), keys, h.width(), x, at);
        F32Pack.PACK.panels(
                v.buffer(), v.at(keyHead, key), 1, v.row(), h.valueWidth(), keys, KEYS, x, after);
    }

    /** Processes {@code keys} more keys, packed from {@code at} on, for a block of queries. */
    private void advance(float[] x, int head, int first, int count, int key, int keys, int at) {
        int reach = scores.reach(first, key);
        AttentionScores.products(x, at, h.width(), 0, keys, count, reach, tile);
        scores.hide(head, first, count, key, keys, x, tile);
        int change = greatest + 2 * QUERIES;
        SoftmaxLanes.advance(x, tile, QUERIES, keys, count, greatest, greatest + QUERIES, change);
        for (int i = 0; i < count; i++) scale(x, sums + i * padded, padded, x[change + i]);
        int values = at + KEYS * h.width();
        AttentionScores.gather(x, tile, count, keys, reach, values, padded, sums);
    }

    private static void scale(float[] x, int at, int length, float by) {
        if (by == 1f) return;
        for (int i = at; i < at + length; i += F32Blocks.SPECIES.length()) {
            FloatVector.fromArray(F32Blocks.SPECIES, x, i).mul(by).intoArray(x, i);
        }
    }

    /** Stores a query's row of the output; it is zero if the query attends to no key. */
    private void finish(float[] x, int head, int first, int i) {
        float sum = x[greatest + QUERIES + i];
        int at = sums + i * padded;
        long place = (long) head * h.queries() + first + i;
        logsum.set(
                place, sum == 0 ? Double.NEGATIVE_INFINITY : x[greatest + i] + StrictMath.log(sum));
        if (sum != 0) divide(x, at, padded, sum);
        store(x, at, h.valueWidth(), out.buffer(), out.at(head, first + i));
    }

    private static void divide(float[] x, int at, int length, float by) {
        for (int i = at; i < at + length; i += F32Blocks.SPECIES.length()) {
            FloatVector.fromArray(F32Blocks.SPECIES, x, i).div(by).intoArray(x, i);
        }
    }

    static void store(float[] x, int at, int length, Buffer out, long place) {
        if (out.dtype() == DType.F32) {
            MemorySegment.copy(
                    x, at, out.segment(), ValueLayout.JAVA_FLOAT_UNALIGNED, place * 4, length);
        } else {
            for (int i = 0; i < length; i++) out.set(place + i, x[at + i]);
        }
    }
}
