package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import java.lang.foreign.MemorySegment;

/**
 * Products of tiles that fit the caches of one core, in one element type. A tile's factors are first packed into
 * panels on the heap, then multiplied by a kernel that keeps a block of the result in registers. Each worker has
 * panels of its own.
 *
 * <p>An element of the product is one chain of fused multiply-adds from zero over the tile's depth, in ascending
 * order: the width of the vectors, the block it lies in and the layout of the panels cannot change its bits.
 */
abstract class Panels {
    /** The greatest depth of a tile. Sums over more are made of one chain for each such block, added in order. */
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

    /** Packs the right factor: {@code depth x columns} elements of {@code b} from {@code base} on. */
    abstract void right(
            int worker, Buffer b, long base, long depthStride, long columnStride, int columns, int depth);

    /**
     * The product of the packed factors, stored at element {@code at} of {@code c}, whose rows are {@code stride}
     * elements apart, or added to what is there.
     */
    abstract void multiply(
            int worker, int rows, int columns, int depth, MemorySegment c, long at, long stride, boolean add);

    /** How many sums the scratch of a worker holds. */
    abstract int sums();

    /** Off-heap scratch for {@link #sums()} elements. */
    abstract MemorySegment sums(int worker);

    /** Zeros in place of a product: what a sum over nothing is. */
    abstract void clear(int rows, int columns, MemorySegment c, long at, long stride);

    /** Gives {@code count} sums from element {@code at} of the scratch on to an epilogue; the panels are lost. */
    abstract void finish(int worker, int at, int count, Epilogue epilogue, Tile tile, long position);
}
