package dev.ebb.cpu.product;

import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;

/**
 * Products of tiles that fit the caches of one core, in one element type. The right factor of a
 * tile is packed into panels on the heap, and the left one, a strip of rows at a time; a kernel
 * that keeps a block of the result in registers multiplies them, and the product stays on the heap
 * until its depth is summed. Each worker has panels of its own, in its tile.
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

    /** The most rows of the left factor that are packed at once: a multiple of four. */
    static final int STRIP = 64;

    /** The most columns of a tile. */
    abstract int columns();

    /** The most rows that the product of a tile of {@code columns} may keep: at least a strip. */
    abstract int rows(int columns);

    /** Columns that the kernel computes at once; a tile of fewer wastes the rest. */
    abstract int lanes();

    /**
     * Packs a strip of the left factor: {@code rows x depth} elements of {@code a} from {@code
     * base} on.
     */
    abstract void left(
            int worker, Buffer a, long base, long rowStride, long depthStride, int rows, int depth);

    /**
     * Whether the right factor of a tile of so many columns can be packed whole, to a depth of
     * {@code k}, and stay there for many tiles: not more of it than a second-level cache keeps
     * beside a strip.
     */
    abstract boolean holds(int columns, int k);

    /** Makes room for right factors that are packed whole, to a depth of {@code k}. */
    abstract void hold(int k);

    /**
     * Packs the right factor: {@code depth x columns} elements of {@code b} from {@code base} on,
     * after {@code before} such rows that were packed already.
     */
    abstract void right(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            long columnStride,
            int columns,
            int depth,
            int before);

    /**
     * Where panels of the right factor begin in a worker's memory, after {@code before} of its rows
     * of so many columns.
     */
    abstract int rightStart(int columns, int before);

    /**
     * Packs a slice of a strip of the left factor, {@code depth} of its {@code total} from depth
     * {@code from} on. A strip is packed either whole or in slices.
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

    /**
     * Multiplies the packed strip of {@code rows} rows with the right factor, four rows at a time.
     * They become rows of the product from {@code row} on, or are added to these. Panel after panel
     * of the right factor meets all rows: a panel stays in the first-level cache while the strip,
     * of which a block reads a fraction as many bytes, comes from the second. In the other order
     * two 512-bit multiply-adds a cycle would read 32 bytes a cycle from the second level, which
     * the cores that issue so many do not deliver.
     */
    final void multiply(int worker, int rows, int row, int columns, int depth, boolean add) {
        multiply(worker, rows, row, columns, depth, 0, add);
    }

    /** As above, with the right factor after {@code before} of its rows. */
    abstract void multiply(
            int worker, int rows, int row, int columns, int depth, int before, boolean add);

    /**
     * Multiplies, and writes the rows of the product to {@code out}, which is of the panels' own
     * type: the first at {@code position}, each {@code outRow} after the one before.
     */
    void multiplyAndStore(
            int worker,
            int rows,
            int row,
            int columns,
            int depth,
            int before,
            boolean add,
            Buffer out,
            long position,
            long outRow) {
        multiply(worker, rows, row, columns, depth, before, add);
        for (int i = 0; i < rows; i++) store(worker, row + i, columns, out, position + i * outRow);
    }

    /** Makes the product zero: what a sum over nothing is. */
    abstract void clear(int worker);

    /** Writes row {@code i} of the product to {@code out}, which is of the panels' own type. */
    abstract void store(int worker, int i, int columns, Buffer out, long position);

    /**
     * Gives {@code rows} rows of the product from {@code first} on to an epilogue: the first for
     * {@code position} on, each {@code outRow} after the one before.
     */
    abstract void finish(
            int worker,
            int first,
            int rows,
            int columns,
            Epilogue epilogue,
            Tile tile,
            long position,
            long outRow);
}
