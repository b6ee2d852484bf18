package dev.ebb.cpu.product;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * The innermost products in F32. With sixteen vector registers, four rows are the most that C2 can
 * keep in registers. Vectors of 512 bits come with thirty-two registers, and blocks have twelve
 * rows: with three times as many independent chains of multiply-adds none waits for the latency of
 * the one before, and each vector of the right factor is read a third as often. Blocks of eight
 * rows compute the rest of a strip whose rows are not a multiple of twelve.
 */
public final class F32Blocks {
    public static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    public static final int LANES = 2 * SPECIES.length();
    private static final int HALF = SPECIES.length();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final boolean TALL = SPECIES.vectorBitSize() == 512;

    /** A constant, so that C2 knows its class. */
    public static final Blocks<float[]> BLOCKS =
            TALL ? BlockClass.generate(SPECIES, 12, 8, 4) : BlockClass.generate(SPECIES, 4);

    private F32Blocks() {}

    /** The number of rows of the next block if {@code left} rows are left. */
    public static int height(int left) {
        if (!TALL) return 4;
        // sixteen rows are two blocks of eight rather than one of twelve and one of four
        if (left >= 12 && left != 16) return 12;
        return left >= 8 ? 8 : 4;
    }

    /** Copies four rows of a product from {@code c[ct]} on to byte {@code p} of {@code out} on. */
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
