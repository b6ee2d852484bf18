package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Heads;
import dev.ebb.ir.Kernel;

import jdk.incubator.vector.FloatVector;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * Attention without its matrix: one part takes a block of queries through the keys, tile by tile,
 * and keeps for each query the greatest score, the sum of exponentials and the weighted sum of
 * values so far, all relative to that greatest score (Milakov and Gimelshein, "Online normalizer
 * calculation for softmax"; Dao et al., "FlashAttention"). Memory is a worker's scratch, whatever
 * the length; tiles that causality hides are skipped.
 */
final class AttendForward implements Runnable {
    private static final int QUERIES = AttentionScores.QUERIES;
    private static final int KEYS = AttentionScores.KEYS;
    private static final int LANES = AttentionScores.LANES;

    private final AttentionScores scores;
    private final Heads h;
    private final HeadRows out;
    private final Buffer logsum;
    private final F32Panels panels;
    private final Workers workers;
    private final int blocks;
    private final int padded;

    /** Places in a worker's scratch. */
    private final int packed;

    private final int rows;
    private final int values;
    private final int tile;
    private final int sums;
    private final int greatest;

    AttendForward(
            Kernel.Attend kernel,
            List<Buffer> in,
            List<Buffer> out,
            F32Panels panels,
            Workers workers) {
        h = kernel.heads();
        scores = new AttentionScores(h, kernel.operands(), in);
        this.out = HeadRows.of(out.get(0), kernel.out(), h.heads());
        logsum = out.get(1);
        this.panels = panels;
        this.workers = workers;
        blocks = Math.ceilDiv(h.queries(), QUERIES);
        padded = AttentionScores.padded(h.valueWidth());
        packed = 0;
        rows = packed + QUERIES * h.width();
        values = rows + KEYS * h.width();
        tile = values + KEYS * padded;
        sums = tile + KEYS * QUERIES;
        greatest = sums + QUERIES * padded;
    }

    /** Whether the scratch of a worker is large enough. */
    static boolean fits(Heads h) {
        long padded = AttentionScores.padded(h.valueWidth());
        long need = (QUERIES + KEYS) * (h.width() + padded) + KEYS * QUERIES + 3 * QUERIES;
        return need <= F32Panels.stored();
    }

    @Override
    public void run() {
        workers.run(Math.multiplyExact(h.batch() * h.heads(), blocks), this::block);
    }

    private void block(int part, int worker) {
        int head = part / blocks;
        int first = part % blocks * QUERIES;
        int count = Math.min(QUERIES, h.queries() - first);
        var x = panels.store(worker);
        scores.packQueries(head, first, count, x, packed);
        Arrays.fill(x, sums, greatest, 0f);
        Arrays.fill(x, greatest, greatest + QUERIES, Float.NEGATIVE_INFINITY);
        Arrays.fill(x, greatest + QUERIES, greatest + 2 * QUERIES, 0f);
        int visible = scores.visible(first + count);
        for (int key = 0; key < visible; key += KEYS) {
            advance(x, head, first, count, key, Math.min(KEYS, visible - key));
        }
        for (int i = 0; i < count; i++) finish(x, head, first, i);
    }

    private void advance(float[] x, int head, int first, int count, int key, int keys) {
        int shared = scores.keyHead(head);
        F32Pack.rows(
                scores.keys.buffer(),
                scores.keys.at(shared, key),
                scores.keys.row(),
                keys,
                h.width(),
                x,
                rows);
        F32Pack.panels(
                scores.values.buffer(),
                scores.values.at(shared, key),
                1,
                scores.values.row(),
                h.valueWidth(),
                keys,
                keys,
                x,
                values);
        AttentionScores.products(x, rows, h.width(), packed, keys, count, tile);
        scores.hide(head, first, count, key, keys, x, tile);
        int change = greatest + 2 * QUERIES;
        SoftmaxLanes.advance(x, tile, QUERIES, keys, count, greatest, greatest + QUERIES, change);
        for (int i = 0; i < count; i++) scale(x, sums + i * padded, padded, x[change + i]);
        for (int j = 0; j < padded; j += LANES) {
            for (int i = 0; i < count; i += 4) {
                F32Blocks.columns(
                        keys,
                        x,
                        tile + i,
                        QUERIES,
                        x,
                        values + j * keys,
                        x,
                        sums + i * padded + j,
                        padded,
                        true);
            }
        }
    }

    private static void scale(float[] x, int at, int length, float by) {
        if (by == 1f) return;
        for (int i = at; i < at + length; i += F32Blocks.SPECIES.length()) {
            FloatVector.fromArray(F32Blocks.SPECIES, x, i).mul(by).intoArray(x, i);
        }
    }

    /** Stores a query's row; one that sees nothing is zero. */
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
