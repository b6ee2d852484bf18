package dev.ebb.cpu;

/**
 * One worker's registers: arrays that stay in the first-level cache while a program of elementwise
 * steps runs over them. A register is a stretch of one of four arrays, named by where it begins;
 * truth values are 0 and 1 in {@code i32}. A step may compute up to a whole vector past the end of
 * what it was asked for, so registers are padded; the padding also keeps them from falling on the
 * same cache sets.
 */
final class Tile {
    /** The most elements a register holds. */
    static final int LENGTH = 1024;

    static final int PADDING = 16;

    /** The most axes a view may have after merging. */
    static final int RANK = 64;

    private static final int REGISTER = LENGTH + PADDING;
    static final int SINGLES = 32 * REGISTER;
    static final int DOUBLES = 16 * REGISTER;

    /** What the numbers of rows take, behind the registers. */
    static final int NUMBERS = 1024;

    /** Where the lanes of the rows that are folded together are, behind the numbers. */
    static final int LANES = SINGLES + NUMBERS;

    /** The most rows that are taken together. */
    static final int ROWS = 64;

    final float[] f32 = new float[LANES + ROWS * Combiner.LANES];
    final int[] i32 = new int[SINGLES];
    final double[] f64 = new double[DOUBLES + NUMBERS];
    final long[] i64 = new long[DOUBLES];

    /** Where folds gather a block of elements that does not fit a register. */
    final float[] f32Block = new float[REGISTER];

    final double[] f64Block = new double[REGISTER];
    final long[] i64Block = new long[REGISTER];

    /** The lanes of a row's fold. */
    final float[] f32Lanes = new float[32];

    final double[] f64Lanes = new double[32];

    /** Three levels of accumulators for the folds of columns. */
    final float[][] f32Sums = new float[3][REGISTER];

    final double[][] f64Sums = new double[3][REGISTER];
    final long[][] i64Sums = new long[3][REGISTER];

    /** Where narrow elements lie on their way between memory and registers. */
    final short[] halves = new short[REGISTER];

    final byte[] bytes = new byte[REGISTER];

    /** The index of a walk over a view. */
    final long[] walk = new long[RANK];

    /** Which rows the numbers are of: from the first up to the last, exclusive. */
    long firstRow;

    long lastRow;

    /** Where the views of a generated loop begin, and where it is called. */
    final long[] starts = new long[RANK];

    final long[] at = new long[RANK];
    final long[] steps = new long[RANK];

    /** Partial results of a fold, one for each level of its tree. */
    final long[] levels = new long[64];

    /** What one tile takes. */
    static long bytes() {
        long folds = REGISTER * 4 * (4L + 8 + 8) + 32 * (4 + 8);
        long numbers = NUMBERS * (4L + 8) + ROWS * Combiner.LANES * 4L;
        long walks = 8L * (4 * RANK + 64);
        return 8L * SINGLES + 16L * DOUBLES + folds + numbers + REGISTER * (2L + 1) + walks;
    }
}
