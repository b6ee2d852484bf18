package dev.ebb.cpu.product;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * The innermost product in F32: four rows by two vectors of columns, in eight registers. On a core
 * that issues two vector multiply-adds a cycle this is the largest block that C2 allocates without
 * spilling on sixteen registers; where there are thirty-two, {@link F32TallBlocks} takes over.
 *
 * <p>All operands lie on the heap: C2 removes the range checks of arrays but not of segments, and
 * it gives a method a limited number of nodes, of which an access to a segment takes many. Beyond
 * the limit vectors are boxed and a block runs ten times slower. For the same reason a block must
 * never be inlined into a larger method; methods of more than 325 bytes of bytecode are not, and
 * {@code BlocksTest} holds these to it.
 */
public final class F32Blocks {
    public static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    public static final int LANES = 2 * SPECIES.length();
    private static final int HALF = SPECIES.length();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private F32Blocks() {}

    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i * stride + k] * b[bt + k * LANES +
     * j]}.
     */
    public static void rows(
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
        if (add) {
            c00 = c00.add(FloatVector.fromArray(SPECIES, c, ct));
            c01 = c01.add(FloatVector.fromArray(SPECIES, c, ct + HALF));
            c10 = c10.add(FloatVector.fromArray(SPECIES, c, ct + row));
            c11 = c11.add(FloatVector.fromArray(SPECIES, c, ct + row + HALF));
            c20 = c20.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row));
            c21 = c21.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row + HALF));
            c30 = c30.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row));
            c31 = c31.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row + HALF));
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
    public static void columns(
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
        if (add) {
            c00 = c00.add(FloatVector.fromArray(SPECIES, c, ct));
            c01 = c01.add(FloatVector.fromArray(SPECIES, c, ct + HALF));
            c10 = c10.add(FloatVector.fromArray(SPECIES, c, ct + row));
            c11 = c11.add(FloatVector.fromArray(SPECIES, c, ct + row + HALF));
            c20 = c20.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row));
            c21 = c21.add(FloatVector.fromArray(SPECIES, c, ct + 2 * row + HALF));
            c30 = c30.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row));
            c31 = c31.add(FloatVector.fromArray(SPECIES, c, ct + 3 * row + HALF));
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

    /** Copies a block from {@code c[ct]} on to byte {@code p} of {@code out} on. */
    static void put(float[] c, int ct, int row, MemorySegment out, long p, long outRow) {
        half(c, ct, out, p);
        half(c, ct + HALF, out, p + 4L * HALF);
        half(c, ct + row, out, p + outRow);
        half(c, ct + row + HALF, out, p + outRow + 4L * HALF);
        half(c, ct + 2 * row, out, p + 2 * outRow);
        half(c, ct + 2 * row + HALF, out, p + 2 * outRow + 4L * HALF);
        half(c, ct + 3 * row, out, p + 3 * outRow);
        half(c, ct + 3 * row + HALF, out, p + 3 * outRow + 4L * HALF);
    }

    private static void half(float[] c, int ct, MemorySegment out, long p) {
        FloatVector.fromArray(SPECIES, c, ct).intoMemorySegment(out, p, ORDER);
    }
}
