package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Heads;
import dev.ebb.ir.Kernel;

import jdk.incubator.vector.FloatVector;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The gradients of attention, with probabilities computed again tile by tile from the kept
 * logarithms of the row sums: a fifth more arithmetic than from a kept matrix, and none of its
 * memory. One part owns a head of keys and values, and takes the heads of queries that share it one
 * after the other, block by block: the gradients of keys and values are added up in memory in that
 * order, those of queries in the worker's scratch.
 */
final class AttendBackward implements Runnable {
    private static final int QUERIES = AttentionScores.QUERIES;
    private static final int KEYS = AttentionScores.KEYS;
    private static final int LANES = AttentionScores.LANES;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final AttentionScores scores;
    private final Heads h;
    private final HeadRows out;
    private final HeadRows dout;
    private final Buffer logsum;
    private final HeadRows dq;
    private final HeadRows dk;
    private final HeadRows dv;
    private final F32Panels panels;
    private final Workers workers;

    /** Places in a worker's scratch: the block of queries ... */
    private final Places at;

    private record Places(
            int queriesAcross,
            int doutAcross,
            int queries,
            int dout,
            int dq,
            int logsum,
            int inner,
            int keyRows,
            int valueRows,
            int keys,
            int tile,
            int dtile,
            int product,
            int end) {

        static Places of(Heads h) {
            int width = AttentionScores.padded(h.width());
            int valueWidth = AttentionScores.padded(h.valueWidth());
            int doutAcross = QUERIES * h.width();
            int queries = doutAcross + QUERIES * h.valueWidth();
            int dout = queries + QUERIES * width;
            int dq = dout + QUERIES * valueWidth;
            int logsum = dq + QUERIES * width;
            int inner = logsum + QUERIES;
            int keyRows = inner + QUERIES;
            int valueRows = keyRows + KEYS * h.width();
            int keys = valueRows + KEYS * h.valueWidth();
            int tile = keys + KEYS * width;
            int dtile = tile + KEYS * QUERIES;
            int product = dtile + KEYS * QUERIES;
            int end = product + KEYS * Math.max(width, valueWidth);
            return new Places(
                    0,
                    doutAcross,
                    queries,
                    dout,
                    dq,
                    logsum,
                    inner,
                    keyRows,
                    valueRows,
                    keys,
                    tile,
                    dtile,
                    product,
                    end);
        }
    }

    AttendBackward(
            Kernel.AttendGrad kernel,
            List<Buffer> in,
            List<Buffer> out,
            F32Panels panels,
            Workers workers) {
        h = kernel.heads();
        scores = new AttentionScores(h, kernel.operands(), in);
        var rest = in.subList(3 + h.mask().size(), in.size());
        this.out = HeadRows.of(rest.get(0), kernel.operands().get(3), h.heads());
        dout = HeadRows.of(rest.get(1), kernel.operands().get(4), h.heads());
        logsum = rest.get(2);
        dq = HeadRows.of(out.get(0), kernel.results().get(0), h.heads());
        dk = HeadRows.of(out.get(1), kernel.results().get(1), h.keyHeads());
        dv = HeadRows.of(out.get(2), kernel.results().get(2), h.keyHeads());
        this.panels = panels;
        this.workers = workers;
        at = Places.of(h);
    }

    /** Whether the scratch of a worker is large enough. */
    static boolean fits(Heads h) {
        return h.width() <= 1024
                && h.valueWidth() <= 1024
                && Places.of(h).end <= F32Panels.stored();
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
        var x = panels.store(worker);
        for (int i = 0; i < group; i++) {
            for (int first = 0; first < h.queries(); first += QUERIES) {
                block(x, head + i, keyHead, first, Math.min(QUERIES, h.queries() - first));
            }
        }
    }

    private void block(float[] x, int head, int keyHead, int first, int count) {
        packBlock(x, head, first, count);
        int visible = scores.visible(first + count);
        for (int key = 0; key < visible; key += KEYS) {
            tile(x, head, keyHead, first, count, key, Math.min(KEYS, visible - key));
        }
        int width = AttentionScores.padded(h.width());
        AttentionScores.scale(x, at.dq, QUERIES * width, (float) h.scale());
        for (int i = 0; i < count; i++) {
            AttendForward.store(
                    x, at.dq + i * width, h.width(), dq.buffer(), dq.at(head, first + i));
        }
    }

    /**
     * Queries and output gradients both ways round, the rows' statistics, and zeros for the
     * queries' gradients.
     */
    private void packBlock(float[] x, int head, int first, int count) {
        int width = h.width();
        int valueWidth = h.valueWidth();
        var from = dout.buffer();
        long row = dout.at(head, first);
        scores.packQueries(head, first, count, x, at.queriesAcross);
        F32Pack.panels(from, row, dout.row(), 1, count, valueWidth, valueWidth, x, at.doutAcross);
        F32Pack.panels(from, row, 1, dout.row(), valueWidth, count, count, x, at.dout);
        F32Pack.panels(
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
        // rows before they are needed elsewhere: both fit where keys and values will lie
        F32Pack.rows(from, row, dout.row(), count, valueWidth, x, at.keyRows);
        F32Pack.rows(
                out.buffer(),
                out.at(head, first),
                out.row(),
                count,
                valueWidth,
                x,
                at.keyRows + QUERIES * valueWidth);
        for (int i = 0; i < count; i++) {
            int here = at.keyRows + i * valueWidth;
            x[at.inner + i] = inner(x, here, here + QUERIES * valueWidth, valueWidth);
            double log = logsum.get((long) head * h.queries() + first + i);
            x[at.logsum + i] =
                    log == Double.NEGATIVE_INFINITY ? Float.POSITIVE_INFINITY : (float) log;
        }
        Arrays.fill(x, at.dq, at.logsum, 0f);
    }

    /** An inner product in four chains. */
    private static float inner(float[] x, int a, int b, int length) {
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        int i = 0;
        for (; i + 4 <= length; i += 4) {
            s0 = Math.fma(x[a + i], x[b + i], s0);
            s1 = Math.fma(x[a + i + 1], x[b + i + 1], s1);
            s2 = Math.fma(x[a + i + 2], x[b + i + 2], s2);
            s3 = Math.fma(x[a + i + 3], x[b + i + 3], s3);
        }
        for (; i < length; i++) s0 = Math.fma(x[a + i], x[b + i], s0);
        return (s0 + s1) + (s2 + s3);
    }

    private void tile(float[] x, int head, int keyHead, int first, int count, int key, int keys) {
        int width = h.width();
        int valueWidth = h.valueWidth();
        var k = scores.keys;
        var v = scores.values;
        F32Pack.rows(k.buffer(), k.at(keyHead, key), k.row(), keys, width, x, at.keyRows);
        F32Pack.rows(v.buffer(), v.at(keyHead, key), v.row(), keys, valueWidth, x, at.valueRows);
        F32Pack.panels(k.buffer(), k.at(keyHead, key), 1, k.row(), width, keys, keys, x, at.keys);
        AttentionScores.products(x, at.keyRows, width, at.queriesAcross, keys, count, at.tile);
        scores.hide(head, first, count, key, keys, x, at.tile);
        AttentionScores.products(x, at.valueRows, valueWidth, at.doutAcross, keys, count, at.dtile);
        SoftmaxLanes.pull(x, at.tile, at.dtile, QUERIES, keys, count, at.logsum, at.inner);
        accumulate(x, at.tile, at.dout, count, keys, valueWidth, dv, dv.at(keyHead, key));
        accumulate(x, at.dtile, at.queries, count, keys, width, dk, dk.at(keyHead, key));
        int padded = AttentionScores.padded(width);
        for (int j = 0; j < padded; j += LANES) {
            for (int i = 0; i < count; i += 4) {
                F32Blocks.columns(
                        keys,
                        x,
                        at.dtile + i,
                        QUERIES,
                        x,
                        at.keys + j * keys,
                        x,
                        at.dq + i * padded + j,
                        padded,
                        true);
            }
        }
    }

    /** Adds the product of a tile, key by key, and a panel of rows of queries to rows in memory. */
    private void accumulate(
            float[] x,
            int tile,
            int panel,
            int count,
            int keys,
            int width,
            HeadRows to,
            long place) {
        int padded = AttentionScores.padded(width);
        for (int j = 0; j < padded; j += LANES) {
            for (int i = 0; i < keys; i += 4) {
                F32Blocks.rows(
                        count,
                        x,
                        tile + i * QUERIES,
                        QUERIES,
                        x,
                        panel + j * count,
                        x,
                        at.product + i * padded + j,
                        padded,
                        false);
            }
        }
        var segment = to.buffer().segment();
        for (int i = 0; i < keys; i++)
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
