package dev.ebb.cpu.tile;

/**
 * One worker's registers: arrays that stay in the first-level cache while a program of elementwise
 * steps runs over them. A register is a stretch of one of four arrays, named by where it begins;
 * truth values are 0 and 1 in {@code i32}. A step may compute up to a whole vector past the end of
 * what it was asked for, so registers are padded; the padding also keeps them from falling on the
 * same cache sets.
 */
public final class Tile {
    /** How many elements of a row a fold combines side by side. */
    public static final int FOLD_LANES = 32;

    /** The most elements a register holds. */
    public static final int LENGTH = 1024;

    public static final int PADDING = 16;

    /** The most axes a view may have after merging. */
    public static final int RANK = 64;

    public static final int REGISTER = LENGTH + PADDING;

    /** The most elements that the registers of 4 and of 8 bytes take. */
    public static final int SINGLES = 32 * REGISTER;

    public static final int DOUBLES = 16 * REGISTER;

    /** What the numbers of rows take: of a kernel that has such, before its registers. */
    public static final int NUMBERS = 1024;

    /** Where the lanes of the rows that are folded together are, behind the numbers. */
    public static final int LANES = NUMBERS;

    /** The most rows that are taken together. */
    public static final int ROWS = 64;

    /** Where the registers begin of a kernel that has numbers of rows. */
    public static final int AFTER_LANES = LANES + ROWS * FOLD_LANES;

    private static final int LEVELS = 64;

    /** What the walks and the lanes of a row take. */
    static final int WALK_BYTES = 8 * (4 * RANK + LEVELS) + FOLD_LANES * (4 + 8);

    public final float[] f32;
    public final int[] i32;
    public final double[] f64;
    public final long[] i64;

    /** Where folds gather a block of elements that does not fit a register. */
    public final float[] f32Block;

    public final double[] f64Block;
    public final long[] i64Block;

    /** The lanes of a row's fold. */
    public final float[] f32Lanes;

    public final double[] f64Lanes;

    /** Three levels of accumulators for the folds of columns. */
    public final float[][] f32Sums;

    public final double[][] f64Sums;
    public final long[][] i64Sums;

    /** Where narrow elements lie on their way between memory and registers. */
    final short[] halves;

    final byte[] bytes;

    /** The index of a walk over a view. */
    final long[] walk;

    /** Which rows the numbers are of: from the first up to the last, exclusive. */
    public long firstRow;

    public long lastRow;

    /** Where the views of a generated loop begin, and where it is called. */
    public final long[] starts;

    public final long[] at;
    public final long[] steps;

    /** Partial results of a fold, one for each level of its tree. */
    public final long[] levels;

    /** Packed factors of matrix products, or the tiles of attention. */
    public final float[] f32Panel;

    public final double[] f64Panel;

    public Tile(Need need) {
        f32 = new float[need.of(Bank.F32)];
        i32 = new int[need.of(Bank.I32)];
        f64 = new double[need.of(Bank.F64)];
        i64 = new long[need.of(Bank.I64)];
        f32Block = new float[need.of(Bank.F32_BLOCK)];
        f64Block = new double[need.of(Bank.F64_BLOCK)];
        i64Block = new long[need.of(Bank.I64_BLOCK)];
        f32Sums = new float[3][need.of(Bank.F32_SUMS)];
        f64Sums = new double[3][need.of(Bank.F64_SUMS)];
        i64Sums = new long[3][need.of(Bank.I64_SUMS)];
        halves = new short[need.of(Bank.HALVES)];
        bytes = new byte[need.of(Bank.BYTES)];
        f32Panel = new float[need.of(Bank.F32_PANEL)];
        f64Panel = new double[need.of(Bank.F64_PANEL)];
        int walks = need.of(Bank.WALKS);
        f32Lanes = new float[walks * FOLD_LANES];
        f64Lanes = new double[walks * FOLD_LANES];
        walk = new long[walks * RANK];
        starts = new long[walks * RANK];
        at = new long[walks * RANK];
        steps = new long[walks * RANK];
        levels = new long[walks * LEVELS];
    }
}
