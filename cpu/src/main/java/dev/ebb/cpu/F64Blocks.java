package dev.ebb.cpu;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/** The innermost product in F64: what {@link F32Blocks} is in F32, and for its reasons. */
final class F64Blocks {
    static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    static final int LANES = 2 * SPECIES.length();
    private static final int HALF = SPECIES.length();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private F64Blocks() {}

    /** The left factor's element of row i and depth k is {@code a[at + i * stride + k]}. */
    static void rows(
            int depth, double[] a, int at, int stride, double[] b, int bt, MemorySegment c, long ct, long row, boolean add) {
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
        put(c, ct, c00, c01, add);
        put(c, ct + row, c10, c11, add);
        put(c, ct + 2 * row, c20, c21, add);
        put(c, ct + 3 * row, c30, c31, add);
    }

    /** The left factor's element of row i and depth k is {@code a[at + i + k * step]}. */
    static void columns(
            int depth, double[] a, int at, int step, double[] b, int bt, MemorySegment c, long ct, long row, boolean add) {
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
        put(c, ct, c00, c01, add);
        put(c, ct + row, c10, c11, add);
        put(c, ct + 2 * row, c20, c21, add);
        put(c, ct + 3 * row, c30, c31, add);
    }

    private static void put(MemorySegment c, long at, DoubleVector x, DoubleVector y, boolean add) {
        if (add) {
            x = x.add(DoubleVector.fromMemorySegment(SPECIES, c, at, ORDER));
            y = y.add(DoubleVector.fromMemorySegment(SPECIES, c, at + 8L * HALF, ORDER));
        }
        x.intoMemorySegment(c, at, ORDER);
        y.intoMemorySegment(c, at + 8L * HALF, ORDER);
    }
}
