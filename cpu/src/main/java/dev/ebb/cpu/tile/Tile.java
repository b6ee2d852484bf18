package dev.ebb.cpu.tile;

/**
 * One worker's registers: arrays that stay in the first-level cache while a program of elementwise
 * steps runs over them. A register is a range of one of four arrays, identified by its start;
 * booleans are 0 and 1 in {@code i32}. A step may compute up to a whole vector beyond the requested
 * end, so registers are padded; the padding also keeps them from mapping to the same cache sets.
 */
public final class Tile {
    /** The number of lanes in which a fold combines the elements of a row. */
    public static final int FOLD_LANES = 32;

    /** The most elements of a register. */
    public static final int LENGTH = 1024;

    public static final int PADDING = 16;

    /** The most axes a view may have after merging. */
    public static final int RANK = 64;

    public static final int REGISTER = LENGTH + PADDING;

    /** The most elements of all registers of 4 and of 8 bytes. */
    public static final int SINGLES = 32 * REGISTER;

    public static final int DOUBLES = 16 * REGISTER;

    /**
     * The elements for the numbers of rows; in a kernel with such numbers, they precede its
     * registers.
     */
    public static final int NUMBERS = 1024;

    /** The start of the lanes of rows that are folded together, after the numbers. */
    public static final int LANES = NUMBERS;

    /** The most rows that are processed together. */
    public static final int ROWS = 64;

    /** The start of the registers in a kernel with numbers of rows. */
    public static final int AFTER_LANES = LANES + ROWS * FOLD_LANES;

    private static final int LEVELS = 64;

    /** The bytes of iteration indices and of the lanes of a row. */
    static final int WALK_BYTES = 8 * (4 * RANK + LEVELS) + FOLD_LANES * (4 + 8);

    public final float[] f32;
    public final int[] i32;
    public final double[] f64;
    public final long[] i64;

    /** A buffer in which folds gather a block of elements that does not fit a register. */
    public final float[] f32Block;

    public final double[] f64Block;
    public final long[] i64Block;

    /** The lanes of a row's fold. */
    public final float[] f32Lanes;

    public final double[] f64Lanes;

    /** Three levels of accumulators for folds over columns. */
    public final float[][] f32Sums;

    public final double[][] f64Sums;
    public final long[][] i64Sums;

    /** A buffer for sixteen-bit elements between memory and registers. */
    final short[] halves;

    final byte[] bytes;

    /** The index of an iteration over a view. */
    final long[] walk;

    /** The rows whose numbers the tile holds: from the first up to the last, exclusive. */
    public long firstRow;

    public long lastRow;

    /**
     * The offsets of a generated loop's views: those at which they begin, and those of the current
     * call.
     */
    public final long[] starts;

    public final long[] at;
    public final long[] steps;

    /** Partial results of a fold, one for each level of its tree. */
    public final long[] levels;

    /** Packed factors of matrix products, or the tiles of attention. */
    public final float[] f32Panel;

    public final double[] f64Panel;

    public Tile(KernelScratch scratch) {
        f32 = new float[scratch.of(ScratchArray.F32)];
        i32 = new int[scratch.of(ScratchArray.I32)];
        f64 = new double[scratch.of(ScratchArray.F64)];
        i64 = new long[scratch.of(ScratchArray.I64)];
        f32Block = new float[scratch.of(ScratchArray.F32_BLOCK)];
        f64Block = new double[scratch.of(ScratchArray.F64_BLOCK)];
        i64Block = new long[scratch.of(ScratchArray.I64_BLOCK)];
        f32Sums = new float[3][scratch.of(ScratchArray.F32_SUMS)];
        f64Sums = new double[3][scratch.of(ScratchArray.F64_SUMS)];
        i64Sums = new long[3][scratch.of(ScratchArray.I64_SUMS)];
        halves = new short[scratch.of(ScratchArray.HALVES)];
        bytes = new byte[scratch.of(ScratchArray.BYTES)];
        f32Panel = new float[scratch.of(ScratchArray.F32_PANEL)];
        f64Panel = new double[scratch.of(ScratchArray.F64_PANEL)];
        int walks = scratch.of(ScratchArray.WALKS);
        f32Lanes = new float[walks * FOLD_LANES];
        f64Lanes = new double[walks * FOLD_LANES];
        walk = new long[walks * RANK];
        starts = new long[walks * RANK];
        at = new long[walks * RANK];
        steps = new long[walks * RANK];
        levels = new long[walks * LEVELS];
    }
}
