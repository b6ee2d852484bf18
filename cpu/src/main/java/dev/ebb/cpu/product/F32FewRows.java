package dev.ebb.cpu.product;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Products of a few rows with a factor that is read without being packed, since packing it would
 * take longer than the product. A model that generates one token at a time computes such products.
 * An element is the same chain of multiply-adds as in {@link Blocks}: one after the other along the
 * depth.
 */
final class F32FewRows {
    /** With more rows than this, packing pays. */
    private static final int MOST = 4;

    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;
    private static final int LENGTH = SPECIES.length();
    private static final int TWO = 2 * LENGTH;
    private static final int FOUR = 4 * LENGTH;

    /**
     * The number of columns that are multiplied at once if a column is contiguous along the depth.
     */
    private static final int EIGHT = 8;

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private F32FewRows() {}

    /** Whether a product with this number of rows is faster if its right factor is not packed. */
    static boolean fits(int rows, long columnStride, long depthStride) {
        return columnStride == 1 ? rows <= MOST : rows == 1 && depthStride == 1;
    }

    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i * depth + k] * b[k, j]}, with
     * element [k, j] of {@code b} {@code k * step + j * lane} bytes after byte {@code start}; one
     * of {@code step} and {@code lane} is four. Memory of up to four rows of {@code a} and {@code
     * c} may be accessed.
     */
    static void rows(
            int rows,
            int depth,
            float[] a,
            int at,
            MemorySegment b,
            long start,
            long step,
            long lane,
            int columns,
            float[] c,
            int ct,
            int row,
            boolean add) {
        int done = 0;
        if (rows > 1 && lane == 4) {
            for (; done + TWO <= columns; done += TWO)
                block(depth, a, at, b, start + 4L * done, step, c, ct + done, row, add);
        }
        for (int i = 0; i < rows; i++) {
            row(
                    depth,
                    a,
                    at + i * depth,
                    b,
                    start + done * lane,
                    step,
                    lane,
                    columns - done,
                    c,
                    ct + i * row + done,
                    add);
        }
    }

    private static void row(
            int depth,
            float[] a,
            int at,
            MemorySegment b,
            long start,
            long step,
            long lane,
            int columns,
            float[] c,
            int ct,
            boolean add) {
        int j = 0;
        if (lane == 4) {
            for (; j + FOUR <= columns; j += FOUR)
                four(depth, a, at, b, start + 4L * j, step, c, ct + j, add);
            for (; j + LENGTH <= columns; j += LENGTH)
                one(depth, a, at, b, start + 4L * j, step, c, ct + j, add);
        } else {
            for (; j + EIGHT <= columns; j += EIGHT)
                eight(depth, a, at, b, start + j * lane, lane, c, ct + j, add);
        }
        for (; j < columns; j++) single(depth, a, at, b, start + j * lane, step, c, ct + j, add);
    }

    /** Four rows by two vectors, as {@link Blocks#rows}. */
    private static void block(
            int depth,
            float[] a,
            int at,
            MemorySegment b,
            long start,
            long step,
            float[] c,
            int ct,
            int row,
            boolean add) {
        FloatVector c00 = FloatVector.zero(SPECIES), c01 = c00, c10 = c00, c11 = c00;
        FloatVector c20 = c00, c21 = c00, c30 = c00, c31 = c00;
        int a1 = at + depth, a2 = at + 2 * depth, a3 = at + 3 * depth;
        for (int k = 0; k < depth; k++) {
            var b0 = load(b, start + k * step);
            var b1 = load(b, start + k * step + 4L * LENGTH);
            var x = FloatVector.broadcast(SPECIES, a[at + k]);
            c00 = x.fma(b0, c00);
            c01 = x.fma(b1, c01);
            x = FloatVector.broadcast(SPECIES, a[a1 + k]);
            c10 = x.fma(b0, c10);
            c11 = x.fma(b1, c11);
            x = FloatVector.broadcast(SPECIES, a[a2 + k]);
            c20 = x.fma(b0, c20);
            c21 = x.fma(b1, c21);
            x = FloatVector.broadcast(SPECIES, a[a3 + k]);
            c30 = x.fma(b0, c30);
            c31 = x.fma(b1, c31);
        }
        store(c00, c, ct, add);
        store(c01, c, ct + LENGTH, add);
        store(c10, c, ct + row, add);
        store(c11, c, ct + row + LENGTH, add);
        store(c20, c, ct + 2 * row, add);
        store(c21, c, ct + 2 * row + LENGTH, add);
        store(c30, c, ct + 3 * row, add);
        store(c31, c, ct + 3 * row + LENGTH, add);
    }

    private static void four(
            int depth,
            float[] a,
            int at,
            MemorySegment b,
            long start,
            long step,
            float[] c,
            int ct,
            boolean add) {
        FloatVector c0 = FloatVector.zero(SPECIES), c1 = c0, c2 = c0, c3 = c0;
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            var x = FloatVector.broadcast(SPECIES, a[at + k]);
            c0 = x.fma(load(b, p), c0);
            c1 = x.fma(load(b, p + 4L * LENGTH), c1);
            c2 = x.fma(load(b, p + 8L * LENGTH), c2);
            c3 = x.fma(load(b, p + 12L * LENGTH), c3);
        }
        store(c0, c, ct, add);
        store(c1, c, ct + LENGTH, add);
        store(c2, c, ct + 2 * LENGTH, add);
        store(c3, c, ct + 3 * LENGTH, add);
    }

    private static void one(
            int depth,
            float[] a,
            int at,
            MemorySegment b,
            long start,
            long step,
            float[] c,
            int ct,
            boolean add) {
        var sum = FloatVector.zero(SPECIES);
        for (int k = 0; k < depth; k++)
            sum = FloatVector.broadcast(SPECIES, a[at + k]).fma(load(b, start + k * step), sum);
        store(sum, c, ct, add);
    }

    private static FloatVector load(MemorySegment b, long p) {
        return FloatVector.fromMemorySegment(SPECIES, b, p, ORDER);
    }

    private static void store(FloatVector sum, float[] c, int ct, boolean add) {
        var all = add ? sum.add(FloatVector.fromArray(SPECIES, c, ct)) : sum;
        all.intoArray(c, ct);
    }

    /**
     * Eight accumulators, one per column, so that an addition need not wait for the one before it.
     */
    private static void eight(
            int depth,
            float[] a,
            int at,
            MemorySegment b,
            long start,
            long lane,
            float[] c,
            int ct,
            boolean add) {
        float c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0;
        for (int k = 0; k < depth; k++) {
            long p = start + 4L * k;
            float x = a[at + k];
            c0 = Math.fma(x, b.get(FLOAT, p), c0);
            c1 = Math.fma(x, b.get(FLOAT, p + lane), c1);
            c2 = Math.fma(x, b.get(FLOAT, p + 2 * lane), c2);
            c3 = Math.fma(x, b.get(FLOAT, p + 3 * lane), c3);
            c4 = Math.fma(x, b.get(FLOAT, p + 4 * lane), c4);
            c5 = Math.fma(x, b.get(FLOAT, p + 5 * lane), c5);
            c6 = Math.fma(x, b.get(FLOAT, p + 6 * lane), c6);
            c7 = Math.fma(x, b.get(FLOAT, p + 7 * lane), c7);
        }
        c[ct] = c0 + (add ? c[ct] : -0f);
        c[ct + 1] = c1 + (add ? c[ct + 1] : -0f);
        c[ct + 2] = c2 + (add ? c[ct + 2] : -0f);
        c[ct + 3] = c3 + (add ? c[ct + 3] : -0f);
        c[ct + 4] = c4 + (add ? c[ct + 4] : -0f);
        c[ct + 5] = c5 + (add ? c[ct + 5] : -0f);
        c[ct + 6] = c6 + (add ? c[ct + 6] : -0f);
        c[ct + 7] = c7 + (add ? c[ct + 7] : -0f);
    }

    private static void single(
            int depth,
            float[] a,
            int at,
            MemorySegment b,
            long start,
            long step,
            float[] c,
            int ct,
            boolean add) {
        float sum = 0;
        for (int k = 0; k < depth; k++)
            sum = Math.fma(a[at + k], b.get(FLOAT, start + k * step), sum);
        c[ct] = add ? sum + c[ct] : sum;
    }
}
