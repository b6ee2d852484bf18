package dev.ebb.cpu;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** The blocks of {@link F32Blocks}, with a result that stays in a worker's heap scratch. */
final class F32ScratchBlocks {
    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;
    private static final int LANES = F32Blocks.LANES;
    private static final int HALF = SPECIES.length();

    private F32ScratchBlocks() {}

    /** Stores {@code c[ct + i * row + j] = sum_k a[at + i * stride + k] * b[bt + k * LANES + j]}. */
    static void rows(int depth, float[] a, int at, int stride, float[] b, int bt, float[] c, int ct, int row) {
        FloatVector c00 = FloatVector.zero(SPECIES), c01 = c00, c10 = c00, c11 = c00;
        FloatVector c20 = c00, c21 = c00, c30 = c00, c31 = c00;
        int a0 = at, a1 = at + stride, a2 = at + 2 * stride, a3 = at + 3 * stride;
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
        }
        c00.intoArray(c, ct);
        c01.intoArray(c, ct + HALF);
        c10.intoArray(c, ct + row);
        c11.intoArray(c, ct + row + HALF);
        c20.intoArray(c, ct + 2 * row);
        c21.intoArray(c, ct + 2 * row + HALF);
        c30.intoArray(c, ct + 3 * row);
        c31.intoArray(c, ct + 3 * row + HALF);
    }

    /** Adds {@code sum_k a[at + i + k * step] * b[bt + k * LANES + j]} to {@code c[ct + i * row + j]}. */
    static void addColumns(int depth, float[] a, int at, int step, float[] b, int bt, float[] c, int ct, int row) {
        FloatVector c00 = FloatVector.zero(SPECIES), c01 = c00, c10 = c00, c11 = c00;
        FloatVector c20 = c00, c21 = c00, c30 = c00, c31 = c00;
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
        }
        add(c, ct, c00, c01);
        add(c, ct + row, c10, c11);
        add(c, ct + 2 * row, c20, c21);
        add(c, ct + 3 * row, c30, c31);
    }

    private static void add(float[] c, int at, FloatVector x, FloatVector y) {
        x.add(FloatVector.fromArray(SPECIES, c, at)).intoArray(c, at);
        y.add(FloatVector.fromArray(SPECIES, c, at + HALF)).intoArray(c, at + HALF);
    }
}
