package dev.ebb.cpu.product;

/**
 * Products of some rows with a panel, in blocks as tall as this machine's registers hold: twelve
 * and eight rows where vectors have 512 bits, four elsewhere. An element is the same chain of
 * multiply-adds in every block.
 */
public final class F32Rows {
    private F32Rows() {}

    /** Rows of the next block where {@code left} rows are left, or fewer than that. */
    public static int height(int left) {
        if (!F32TallBlocks.FITS) return 4;
        // sixteen are twice eight, rather than twelve and four
        if (left >= F32TallBlocks.ROWS && left != 2 * F32MiddleBlocks.ROWS)
            return F32TallBlocks.ROWS;
        return left >= F32MiddleBlocks.ROWS ? F32MiddleBlocks.ROWS : 4;
    }

    /** As {@link F32Blocks#rows}, for a block of {@code height} rows. */
    public static void rows(
            int height,
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
        if (height == F32TallBlocks.ROWS)
            F32TallBlocks.rows(depth, a, at, stride, b, bt, c, ct, row, add);
        else if (height == F32MiddleBlocks.ROWS)
            F32MiddleBlocks.rows(depth, a, at, stride, b, bt, c, ct, row, add);
        else F32Blocks.rows(depth, a, at, stride, b, bt, c, ct, row, add);
    }

    /** As {@link F32Blocks#columns}, for a block of {@code height} rows. */
    public static void columns(
            int height,
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
        if (height == F32TallBlocks.ROWS)
            F32TallBlocks.columns(depth, a, at, step, b, bt, c, ct, row, add);
        else if (height == F32MiddleBlocks.ROWS)
            F32MiddleBlocks.columns(depth, a, at, step, b, bt, c, ct, row, add);
        else F32Blocks.columns(depth, a, at, step, b, bt, c, ct, row, add);
    }
}
