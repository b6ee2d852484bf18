package dev.ebb.cpu;

import dev.ebb.ir.Buffer;

/**
 * Products of tiles that fit the caches of one core, in one element type. A tile's factors are
 * packed into panels on the heap and multiplied by a kernel that keeps a block of the result in
 * registers; the product stays on the heap until its depth is summed. Each worker has panels of its
 * own.
 *
 * <p>An element of the product is one chain of fused multiply-adds from zero over the depth, in
 * ascending order: the width of the vectors, the block it lies in and the layout of the panels
 * cannot change its bits.
 */
abstract class Panels {
    /**
     * The greatest depth of a tile. Sums over more are made of one chain for each such block, added
     * in order.
     */
    static final int DEPTH = 256;

    /** The most rows and columns of a tile. */
    abstract int rows();

    abstract int columns();

    /** Columns that the kernel computes at once; a tile of fewer wastes the rest. */
    abstract int lanes();

    /** Bytes of all workers' panels. */
    abstract long bytes();

    /** Packs the left factor: {@code rows x depth} elements of {@code a} from {@code base} on. */
    abstract void left(
            int worker, Buffer a, long base, long rowStride, long depthStride, int rows, int depth);

    /**
     * Packs the right factor: {@code depth x columns} elements of {@code b} from {@code base} on.
     */
    abstract void right(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            long columnStride,
            int columns,
            int depth);

    /**
     * Packs a slice of the left factor, {@code depth} of its {@code total} from depth {@code from}
     * on. A factor is packed either whole or in slices.
     */
    abstract void leftSlice(
            int worker,
            Buffer a,
            long base,
            long rowStride,
            long depthStride,
            int rows,
            int depth,
            int from,
            int total);

    /**
     * Packs a slice of a right factor whose column j begins at element {@code base + offsets[j]}; a
     * column with a negative offset is zero.
     */
    abstract void rightSlice(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            int[] offsets,
            int columns,
            int depth,
            int from,
            int total);

    /**
     * Packs one column of the right factor: element k lies {@code offsets[k]} after {@code base},
     * or is zero if negative.
     */
    abstract void rightColumn(
            int worker, Buffer b, long base, int[] offsets, int column, int depth);

    /** Multiplies the packed factors; the product replaces the one before, or is added to it. */
    abstract void multiply(int worker, int rows, int columns, int depth, boolean add);

    /** Makes the product zero: what a sum over nothing is. */
    abstract void clear(int worker);

    /** Writes row {@code i} of the product to {@code out}, which is of the panels' own type. */
    abstract void store(int worker, int i, int columns, Buffer out, long position);

    /** Gives row {@code i} of the product to an epilogue. */
    abstract void finish(
            int worker, int i, int columns, Epilogue epilogue, Tile tile, long position);
}
