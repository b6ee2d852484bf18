package dev.ebb.cpu.product;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * As {@link F32TallBlocks}, eight rows by two vectors of columns: what is left of a strip that
 * twelve do not divide. Sixteen chains are still twice as many as two multiply-adds a cycle keep
 * waiting.
 */
final class F32MiddleBlocks {
    /** Rows of a block. */
    static final int ROWS = 8;

    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;
    private static final int LANES = F32Blocks.LANES;
    private static final int HALF = SPECIES.length();

    private F32MiddleBlocks() {}

    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i * stride + k] * b[bt + k * LANES +
     * j]}.
     */
    static void rows(
            int depth,
            float[] a,
            int at,
            int stride,
            float[] b,
            int bt,
            float[] c,
            int ct,
            int row,
            boolean add) {
        FloatVector c00 = FloatVector.zero(SPECIES), c01 = c00;
        FloatVector c10 = c00, c11 = c00;
        FloatVector c20 = c00, c21 = c00;
        FloatVector c30 = c00, c31 = c00;
        FloatVector c40 = c00, c41 = c00;
        FloatVector c50 = c00, c51 = c00;
        FloatVector c60 = c00, c61 = c00;
        FloatVector c70 = c00, c71 = c00;
        int a0 = at;
        int a1 = at + stride;
        int a2 = at + 2 * stride;
        int a3 = at + 3 * stride;
        int a4 = at + 4 * stride;
        int a5 = at + 5 * stride;
        int a6 = at + 6 * stride;
        int a7 = at + 7 * stride;
        for (int k = 0; k < depth; k++) {
            var b0 = FloatVector.fromArray(SPECIES, b, bt + k * LANES);
            var b1 = FloatVector.fromArray(SPECIES, b, bt + k * LANES + HALF);
            var x = FloatVector.broadcast(SPECIES, a[a0 + k]);
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
            x = FloatVector.broadcast(SPECIES, a[a4 + k]);
            c40 = x.fma(b0, c40);
            c41 = x.fma(b1, c41);
            x = FloatVector.broadcast(SPECIES, a[a5 + k]);
            c50 = x.fma(b0, c50);
            c51 = x.fma(b1, c51);
            x = FloatVector.broadcast(SPECIES, a[a6 + k]);
            c60 = x.fma(b0, c60);
            c61 = x.fma(b1, c61);
            x = FloatVector.broadcast(SPECIES, a[a7 + k]);
            c70 = x.fma(b0, c70);
            c71 = x.fma(b1, c71);
        }
        if (add) {
            c00 = c00.add(FloatVector.fromArray(SPECIES, c, ct));
            c01 = c01.add(FloatVector.fromArray(SPECIES, c, ct + HALF));
            c10 = c10.add(FloatVector.fromArray(SPECIES, c, ct + row));
            c11 = c11.add(FloatVector.fromArray(SPECIES, c, ct + row + HALF));
            c20 = c20.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row));
            c21 = c21.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row + HALF));
            c30 = c30.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row));
            c31 = c31.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row + HALF));
            c40 = c40.add(FloatVector.fromArray(SPECIES, c, ct + 4 * row));
            c41 = c41.add(FloatVector.fromArray(SPECIES, c, ct + 4 * row + HALF));
            c50 = c50.add(FloatVector.fromArray(SPECIES, c, ct + 5 * row));
            c51 = c51.add(FloatVector.fromArray(SPECIES, c, ct + 5 * row + HALF));
            c60 = c60.add(FloatVector.fromArray(SPECIES, c, ct + 6 * row));
            c61 = c61.add(FloatVector.fromArray(SPECIES, c, ct + 6 * row + HALF));
            c70 = c70.add(FloatVector.fromArray(SPECIES, c, ct + 7 * row));
            c71 = c71.add(FloatVector.fromArray(SPECIES, c, ct + 7 * row + HALF));
        }
        c00.intoArray(c, ct);
        c01.intoArray(c, ct + HALF);
        c10.intoArray(c, ct + row);
        c11.intoArray(c, ct + row + HALF);
        c20.intoArray(c, ct + 2 * row);
        c21.intoArray(c, ct + 2 * row + HALF);
        c30.intoArray(c, ct + 3 * row);
        c31.intoArray(c, ct + 3 * row + HALF);
        c40.intoArray(c, ct + 4 * row);
        c41.intoArray(c, ct + 4 * row + HALF);
        c50.intoArray(c, ct + 5 * row);
        c51.intoArray(c, ct + 5 * row + HALF);
        c60.intoArray(c, ct + 6 * row);
        c61.intoArray(c, ct + 6 * row + HALF);
        c70.intoArray(c, ct + 7 * row);
        c71.intoArray(c, ct + 7 * row + HALF);
    }

    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i + k * step] * b[bt + k * LANES +
     * j]}.
     */
    static void columns(
            int depth,
            float[] a,
            int at,
            int step,
            float[] b,
            int bt,
            float[] c,
            int ct,
            int row,
            boolean add) {
        FloatVector c00 = FloatVector.zero(SPECIES), c01 = c00;
        FloatVector c10 = c00, c11 = c00;
        FloatVector c20 = c00, c21 = c00;
        FloatVector c30 = c00, c31 = c00;
        FloatVector c40 = c00, c41 = c00;
        FloatVector c50 = c00, c51 = c00;
        FloatVector c60 = c00, c61 = c00;
        FloatVector c70 = c00, c71 = c00;
        for (int k = 0; k < depth; k++) {
            var b0 = FloatVector.fromArray(SPECIES, b, bt + k * LANES);
            var b1 = FloatVector.fromArray(SPECIES, b, bt + k * LANES + HALF);
            var x = FloatVector.broadcast(SPECIES, a[at + k * step]);
            c00 = x.fma(b0, c00);
            c01 = x.fma(b1, c01);
            x = FloatVector.broadcast(SPECIES, a[at + k * step + 1]);
            c10 = x.fma(b0, c10);
            c11 = x.fma(b1, c11);
            x = FloatVector.broadcast(SPECIES, a[at + k * step + 2]);
            c20 = x.fma(b0, c20);
            c21 = x.fma(b1, c21);
            x = FloatVector.broadcast(SPECIES, a[at + k * step + 3]);
            c30 = x.fma(b0, c30);
            c31 = x.fma(b1, c31);
            x = FloatVector.broadcast(SPECIES, a[at + k * step + 4]);
            c40 = x.fma(b0, c40);
            c41 = x.fma(b1, c41);
            x = FloatVector.broadcast(SPECIES, a[at + k * step + 5]);
            c50 = x.fma(b0, c50);
            c51 = x.fma(b1, c51);
            x = FloatVector.broadcast(SPECIES, a[at + k * step + 6]);
            c60 = x.fma(b0, c60);
            c61 = x.fma(b1, c61);
            x = FloatVector.broadcast(SPECIES, a[at + k * step + 7]);
            c70 = x.fma(b0, c70);
            c71 = x.fma(b1, c71);
        }
        if (add) {
            c00 = c00.add(FloatVector.fromArray(SPECIES, c, ct));
            c01 = c01.add(FloatVector.fromArray(SPECIES, c, ct + HALF));
            c10 = c10.add(FloatVector.fromArray(SPECIES, c, ct + row));
            c11 = c11.add(FloatVector.fromArray(SPECIES, c, ct + row + HALF));
            c20 = c20.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row));
            c21 = c21.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row + HALF));
            c30 = c30.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row));
            c31 = c31.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row + HALF));
            c40 = c40.add(FloatVector.fromArray(SPECIES, c, ct + 4 * row));
            c41 = c41.add(FloatVector.fromArray(SPECIES, c, ct + 4 * row + HALF));
            c50 = c50.add(FloatVector.fromArray(SPECIES, c, ct + 5 * row));
            c51 = c51.add(FloatVector.fromArray(SPECIES, c, ct + 5 * row + HALF));
            c60 = c60.add(FloatVector.fromArray(SPECIES, c, ct + 6 * row));
            c61 = c61.add(FloatVector.fromArray(SPECIES, c, ct + 6 * row + HALF));
            c70 = c70.add(FloatVector.fromArray(SPECIES, c, ct + 7 * row));
            c71 = c71.add(FloatVector.fromArray(SPECIES, c, ct + 7 * row + HALF));
        }
        c00.intoArray(c, ct);
        c01.intoArray(c, ct + HALF);
        c10.intoArray(c, ct + row);
        c11.intoArray(c, ct + row + HALF);
        c20.intoArray(c, ct + 2 * row);
        c21.intoArray(c, ct + 2 * row + HALF);
        c30.intoArray(c, ct + 3 * row);
        c31.intoArray(c, ct + 3 * row + HALF);
        c40.intoArray(c, ct + 4 * row);
        c41.intoArray(c, ct + 4 * row + HALF);
        c50.intoArray(c, ct + 5 * row);
        c51.intoArray(c, ct + 5 * row + HALF);
        c60.intoArray(c, ct + 6 * row);
        c61.intoArray(c, ct + 6 * row + HALF);
        c70.intoArray(c, ct + 7 * row);
        c71.intoArray(c, ct + 7 * row + HALF);
    }
}
