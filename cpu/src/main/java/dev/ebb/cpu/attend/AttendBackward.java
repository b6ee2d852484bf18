package dev.ebb.cpu.attend;

import dev.ebb.cpu.product.F32Blocks;
import dev.ebb.cpu.product.F32Pack;
import dev.ebb.cpu.product.F32Panels;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The gradients of attention, with probabilities computed again tile by tile from the kept
 * logarithms of the row sums: a fifth more arithmetic than from a kept matrix, without its memory.
 * Each part of the work owns a head of keys and values, and takes the heads of queries that share
 * it one after the other, block by block: the gradients of keys and values are added up in memory
 * in that order, those of queries in the worker's scratch.
 */
public final class AttendBackward implements Runnable {
    private static final int QUERIES = AttentionScores.QUERIES;
    private static final int KEYS = AttentionScores.KEYS;

    /** The number of rows of inner products that are computed at once. */
    private static final int SOME = 16;

    private static final VectorSpecies<Float> CHAINS = FloatVector.SPECIES_128;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final AttentionScores scores;
    private final AttentionShape h;
    private final HeadRows out;
    private final HeadRows dout;
    private final Buffer logsum;
    private final HeadRows dq;
    private final HeadRows dk;
    private final HeadRows dv;
    private final Tiles tiles;
    private final WorkerGroup workers;

    private final KeyTiles keyTiles;
    private final Offsets at;

    /** Offsets of arrays in a worker's scratch memory; the tiles of keys follow after them. */
    private record Offsets(
            int queriesAcross,
            int doutAcross,
            int queries,
            int dout,
            int dq,
            int logsum,
            int inner,
            int tile,
            int dtile,
            int product,
            int end) {

        static Offsets of(AttentionShape h) {
            int width = AttentionScores.padded(h.width());
            return of(h, width, AttentionScores.padded(h.valueWidth()));
        }

        private static Offsets of(AttentionShape h, int width, int valueWidth) {
            int doutAcross = QUERIES * h.width();
            int queries = doutAcross + QUERIES * h.valueWidth();
            int dout = queries + QUERIES * width;
            int dq = dout + QUERIES * valueWidth;
            int logsum = dq + QUERIES * width;
            int inner = logsum + QUERIES;
            int tile = inner + QUERIES;
            int dtile = tile + KEYS * QUERIES;
            int product = dtile + KEYS * QUERIES;
            int end = product + KEYS * Math.max(width, valueWidth);
            return new Offsets(
                    0, doutAcross, queries, dout, dq, logsum, inner, tile, dtile, product, end);
        }

        /** The floats for the rows of a tile's keys and values and for the panels of its keys. */
        static int keys(AttentionShape h) {
            return keys(h, AttentionScores.padded(h.width()));
        }

        private static int keys(AttentionShape h, int width) {
            return KEYS * (h.width() + h.valueWidth() + width);
        }

        /** The end of the scratch memory used, at most, on any machine. */
        static int most(AttentionShape h) {
            int width = AttentionScores.mostPadded(h.width());
            int valueWidth = AttentionScores.mostPadded(h.valueWidth());
            return KeyTiles.end(h.keys(), of(h, width, valueWidth).end, keys(h, width));
        }
    }

    public AttendBackward(
            Kernel.AttendGrad kernel,
            List<Buffer> in,
            List<Buffer> out,
            Tiles tiles,
            WorkerGroup workers) {
        h = kernel.heads();
        scores = new AttentionScores(h, kernel.operands(), in);
        var rest = in.subList(3 + h.mask().size(), in.size());
        this.out = HeadRows.of(rest.get(0), kernel.operands().get(3), h.heads());
        dout = HeadRows.of(rest.get(1), kernel.operands().get(4), h.heads());
        logsum = rest.get(2);
        dq = HeadRows.of(out, kernel.results().get(0), h.heads());
        dk = HeadRows.of(out, kernel.results().get(1), h.keyHeads());
        dv = HeadRows.of(out, kernel.results().get(2), h.keyHeads());
        this.tiles = tiles;
        this.workers = workers;
        at = Offsets.of(h);
        int size = Offsets.keys(h);
        keyTiles = new KeyTiles(h.keys(), at.end, size, workers.threads(), this::packKeys);
    }

    /** Whether the scratch of a worker is large enough. */
    public static boolean fits(AttentionShape h) {
        return h.width() <= 1024
                && h.valueWidth() <= 1024
                && Offsets.of(h).end + Offsets.keys(h) <= F32Panels.stored();
    }

    /** The memory that this kernel needs of each worker. */
    public static KernelScratch scratch(AttentionShape h) {
        return F32Panels.scratch((long) h.batch() * h.keyHeads(), Offsets.most(h));
    }

    @Override
    public void run() {
        workers.run(h.batch() * h.keyHeads(), this::keyHead);
    }

    private void keyHead(int keyHead, int worker) {
        for (int j = 0; j < h.keys(); j++) {
            clear(dk.buffer().segment(), dk.at(keyHead, j) * 4, h.width());
            clear(dv.buffer().segment(), dv.at(keyHead, j) * 4, h.valueWidth());
        }
        int group = h.heads() / h.keyHeads();
        int head = keyHead / h.keyHeads() * h.heads() + keyHead % h.keyHeads() * group;
        keyTiles.begin(worker);
        for (int i = 0; i < group; i++) {
            for (int first = 0; first < h.queries(); first += QUERIES) {
                block(worker, head + i, keyHead, first, Math.min(QUERIES, h.queries() - first));
            }
        }
    }

    private void block(int worker, int head, int keyHead, int first, int count) {
        var x = tiles.of(worker).f32Panel;
        packBlock(x, head, first, count);
        int visible = scores.visible(first + count);
        for (int key = 0; key < visible; key += KEYS) {
            int packed = keyTiles.place(worker, keyHead, key, x);
            tile(x, head, keyHead, first, count, key, Math.min(KEYS, visible - key), packed);
        }
        int width = AttentionScores.padded(h.width());
        AttentionScores.scale(x, at.dq, QUERIES * width, (float) h.scale());
        for (int i = 0; i < count; i++) {
            AttendForward.store(
                    x, at.dq + i * width, h.width(), dq.buffer(), dq.at(head, first + i));
        }
    }

    /**
     * Packs queries and output gradients, each also transposed, and the statistics of the rows, and
     * zeroes the gradients of the queries.
     */
    private void packBlock(float[] x, int head, int first, int count) {
        int width = h.width();
        int valueWidth = h.valueWidth();
        var from = dout.buffer();
        long row = dout.at(head, first);
        scores.packQueries(head, first, count, x, at.queriesAcross);
        F32Pack.PACK.panels(
                from, row, dout.row(), 1, count, valueWidth, valueWidth, x, at.doutAcross);
        F32Pack.PACK.panels(from, row, 1, dout.row(), valueWidth, count, count, x, at.dout);
        F32Pack.PACK.panels(
                scores.queries.buffer(),
                scores.queries.at(head, first),
                1,
                scores.queries.row(),
                width,
                count,
                count,
                x,
                at.queries);
        AttentionScores.scale(
                x, at.queries, AttentionScores.padded(width) * count, (float) h.scale());
        for (int i = 0; i < count; i += SOME) {
            inner(x, head, first + i, Math.min(SOME, count - i), at.inner + i);
        }
        for (int i = 0; i < count; i++) {
            double log = logsum.get((long) head * h.queries() + first + i);
            x[at.logsum + i] =
                    log == Double.NEGATIVE_INFINITY ? Float.POSITIVE_INFINITY : (float) log;
        }
        Arrays.fill(x, at.dq, at.logsum, 0f);
    }

    /**
     * The inner products of rows of the output and their gradients, computed before the product is
     * written to its memory.
     */
    private void inner(float[] x, int head, int first, int count, int to) {
        int width = h.valueWidth();
        int other = at.product + SOME * width;
        F32Pack.PACK.rows(
                dout.buffer(), dout.at(head, first), dout.row(), count, width, x, at.product);
        F32Pack.PACK.rows(out.buffer(), out.at(head, first), out.row(), count, width, x, other);
        for (int i = 0; i < count; i++) {
            x[to + i] = inner(x, at.product + i * width, other + i * width, width);
        }
    }

    /** An inner product in four accumulators, which fit into one vector of any width. */
    private static float inner(float[] x, int a, int b, int length) {
        var sums = FloatVector.zero(CHAINS);
        int i = 0;
        for (; i + 4 <= length; i += 4) {
            sums =
                    FloatVector.fromArray(CHAINS, x, a + i)
                            .fma(FloatVector.fromArray(CHAINS, x, b + i), sums);
        }
        float rest = 0;
        for (; i < length; i++) rest = Math.fma(x[a + i], x[b + i], rest);
        return (sums.lane(0) + sums.lane(1)) + (sums.lane(2) + sums.lane(3)) + rest;
    }

    /** Packs rows of keys, rows of values, and panels of keys. */
    private void packKeys(int keyHead, int key, float[] x, int to) {
        int keys = Math.min(KEYS, h.keys() - key);
        int width = h.width();
        int valueWidth = h.valueWidth();
        int values = to + KEYS * width;
        int across = values + KEYS * valueWidth;
        var k = scores.keys;
        var v = scores.values;
        F32Pack.PACK.rows(k.buffer(), k.at(keyHead, key), k.row(), keys, width, x, to);
        F32Pack.PACK.rows(v.buffer(), v.at(keyHead, key), v.row(), keys, valueWidth, x, values);
        F32Pack.PACK.panels(
                k.buffer(), k.at(keyHead, key), 1, k.row(), width, keys, KEYS, x, across);
    }

    private void tile(
            float[] x,
            int head,
            int keyHead,
            int first,
            int count,
            int key,
            int keys,
            int keyRows) {
        int width = h.width();
        int valueWidth = h.valueWidth();
        int valueRows = keyRows + KEYS * width;
        int keyPanels = valueRows + KEYS * valueWidth;
        int reach = scores.reach(first, key);
        AttentionScores.products(x, keyRows, width, at.queriesAcross, keys, count, reach, at.tile);
        scores.hide(head, first, count, key, keys, x, at.tile);
        AttentionScores.products(
                x, valueRows, valueWidth, at.doutAcross, keys, count, reach, at.dtile);
        SoftmaxLanes.pull(x, at.tile, at.dtile, QUERIES, keys, count, at.logsum, at.inner);
        int padded = AttentionScores.padded(width);
        int valuePadded = AttentionScores.padded(valueWidth);
        AttentionScores.spread(x, at.tile, count, keys, reach, at.dout, valuePadded, at.product);
        add(x, valuePadded, keys, valueWidth, dv, dv.at(keyHead, key));
        AttentionScores.spread(x, at.dtile, count, keys, reach, at.queries, padded, at.product);
        add(x, padded, keys, width, dk, dk.at(keyHead, key));
        AttentionScores.gather(x, at.dtile, count, keys, reach, keyPanels, padded, at.dq);
    }

    /** Adds the rows of the product, which are {@code padded} elements apart, to rows in memory. */
    private void add(float[] x, int padded, int rows, int width, HeadRows to, long place) {
        var segment = to.buffer().segment();
        for (int i = 0; i < rows; i++)
            add(x, at.product + i * padded, width, segment, (place + i * to.row()) * 4);
    }

    private static void clear(MemorySegment to, long place, int length) {
        int step = F32Blocks.SPECIES.length();
        int i = 0;
        for (; i + step <= length; i += step) {
            FloatVector.zero(F32Blocks.SPECIES).intoMemorySegment(to, place + i * 4L, ORDER);
        }
        for (; i < length; i++) to.set(FLOAT, place + i * 4L, 0f);
    }

    private static void add(float[] x, int from, int length, MemorySegment to, long place) {
        int step = F32Blocks.SPECIES.length();
        int i = 0;
        for (; i + step <= length; i += step) {
            FloatVector.fromMemorySegment(F32Blocks.SPECIES, to, place + i * 4L, ORDER)
                    .add(FloatVector.fromArray(F32Blocks.SPECIES, x, from + i))
                    .intoMemorySegment(to, place + i * 4L, ORDER);
        }
        for (; i < length; i++)
            to.set(FLOAT, place + i * 4L, to.get(FLOAT, place + i * 4L) + x[from + i]);
    }
}
