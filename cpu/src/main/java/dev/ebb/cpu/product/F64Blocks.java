package dev.ebb.cpu.product;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/** The innermost product in F64: what {@link F32Blocks} is in F32, and for its reasons. */
final class F64Blocks {
    static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    static final int LANES = 2 * SPECIES.length();
    private static final int HALF = SPECIES.length();

    private F64Blocks() {}

    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i * stride + k] * b[bt + k * LANES +
     * j]}.
     */
    static void rows(
            int depth,
            double[] a,
            int at,
            int stride,
            double[] b,
            int bt,
            double[] c,
            int ct,
            int row,
            boolean add) {
        DoubleVector c00 = DoubleVector.zero(SPECIES), c01 = c00, c10 = c00, c11 = c00;
        DoubleVector c20 = c00, c21 = c00, c30 = c00, c31 = c00;
        int a0 = at, a1 = at + stride, a2 = at + 2 * stride, a3 = at + 3 * stride;
        for (int k = 0; k < depth; k++) {
            var b0 = DoubleVector.fromArray(SPECIES, b, bt + k * LANES);
            var b1 = DoubleVector.fromArray(SPECIES, b, bt + k * LANES + HALF);
            var x = DoubleVector.broadcast(SPECIES, a[a0 + k]);
            c00 = x.fma(b0, c00);
            c01 = x.fma(b1, c01);
            x = DoubleVector.broadcast(SPECIES, a[a1 + k]);
            c10 = x.fma(b0, c10);
            c11 = x.fma(b1, c11);
            x = DoubleVector.broadcast(SPECIES, a[a2 + k]);
            c20 = x.fma(b0, c20);
            c21 = x.fma(b1, c21);
            x = DoubleVector.broadcast(SPECIES, a[a3 + k]);
            c30 = x.fma(b0, c30);
            c31 = x.fma(b1, c31);
        }
        if (add) {
            c00 = c00.add(DoubleVector.fromArray(SPECIES, c, ct));
            c01 = c01.add(DoubleVector.fromArray(SPECIES, c, ct + HALF));
            c10 = c10.add(DoubleVector.fromArray(SPECIES, c, ct + row));
            c11 = c11.add(DoubleVector.fromArray(SPECIES, c, ct + row + HALF));
            c20 = c20.add(DoubleVector.fromArray(SPECIES, c, ct + 2 * row));
            c21 = c21.add(DoubleVector.fromArray(SPECIES, c, ct + 2 * row + HALF));
            c30 = c30.add(DoubleVector.fromArray(SPECIES, c, ct + 3 * row));
            c31 = c31.add(DoubleVector.fromArray(SPECIES, c, ct + 3 * row + HALF));
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

    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i + k * step] * b[bt + k * LANES +
     * j]}.
     */
    static void columns(
            int depth,
            double[] a,
            int at,
            int step,
            double[] b,
            int bt,
            double[] c,
            int ct,
            int row,
            boolean add) {
        DoubleVector c00 = DoubleVector.zero(SPECIES), c01 = c00, c10 = c00, c11 = c00;
        DoubleVector c20 = c00, c21 = c00, c30 = c00, c31 = c00;
        for (int k = 0; k < depth; k++) {
            var b0 = DoubleVector.fromArray(SPECIES, b, bt + k * LANES);
            var b1 = DoubleVector.fromArray(SPECIES, b, bt + k * LANES + HALF);
            var x = DoubleVector.broadcast(SPECIES, a[at + k * step]);
            c00 = x.fma(b0, c00);
            c01 = x.fma(b1, c01);
            x = DoubleVector.broadcast(SPECIES, a[at + k * step + 1]);
            c10 = x.fma(b0, c10);
            c11 = x.fma(b1, c11);
            x = DoubleVector.broadcast(SPECIES, a[at + k * step + 2]);
            c20 = x.fma(b0, c20);
            c21 = x.fma(b1, c21);
            x = DoubleVector.broadcast(SPECIES, a[at + k * step + 3]);
            c30 = x.fma(b0, c30);
            c31 = x.fma(b1, c31);
        }
        if (add) {
            c00 = c00.add(DoubleVector.fromArray(SPECIES, c, ct));
            c01 = c01.add(DoubleVector.fromArray(SPECIES, c, ct + HALF));
            c10 = c10.add(DoubleVector.fromArray(SPECIES, c, ct + row));
            c11 = c11.add(DoubleVector.fromArray(SPECIES, c, ct + row + HALF));
            c20 = c20.add(DoubleVector.fromArray(SPECIES, c, ct + 2 * row));
            c21 = c21.add(DoubleVector.fromArray(SPECIES, c, ct + 2 * row + HALF));
            c30 = c30.add(DoubleVector.fromArray(SPECIES, c, ct + 3 * row));
            c31 = c31.add(DoubleVector.fromArray(SPECIES, c, ct + 3 * row + HALF));
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
}
