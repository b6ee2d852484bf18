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
 * ascending order: the width of the vectors, the block it lies in and the layout of the panels do
 * not change its bits.
 *
 * @param <A> an array of such elements
 */
abstract class Panels<A> {
    /**
     * The greatest depth of a tile. A longer sum is split into blocks of this depth, which are
     * added in order.
     */
    static final int DEPTH = 256;

    /** The most rows of the left factor that are packed at once: a multiple of four. */
    static final int STRIP = 64;

    private final Pack<A> pack;
    private final Sizes sizes;
    private final PanelLayout places;

    /** The depth up to which there is memory for a right factor. */
    private int rightDepth;

    /** For each worker, whether its strip of the left factor is packed in rows, not in panels. */
    private final boolean[] byRows;

    /**
     * Sizes of panels in one element type.
     *
     * @param columns the most columns of a tile
     * @param stored the most elements that a kernel may use of a worker
     * @param held elements of a right factor that a worker holds: half of its second-level cache or
     *     less
     */
    record Sizes(int columns, int stored, int held) {}

    Panels(Pack<A> pack, Sizes sizes, PanelLayout places, int workers) {
        this.pack = pack;
        this.sizes = sizes;
        this.places = places;
        rightDepth = places.depth();
        byRows = new boolean[workers];
    }

    /** The memory of a worker. */
    abstract A memory(int worker);

    abstract Blocks<A> blocks();

    /** Rows of the next block where {@code left} rows are left, or fewer than that. */
    abstract int height(int left);

    abstract void zero(A x, int from, int to);

    abstract void epilogue(
            Epilogue epilogue,
            Tile tile,
            A x,
            int at,
            int width,
            long position,
            long outRow,
            int rows,
            int columns);

    /** The most columns of a tile. */
    final int columns() {
        return sizes.columns;
    }

    /** The most rows that the product of a tile of {@code columns} may keep: at least a strip. */
    final int rows(int columns) {
        return (sizes.stored - product(columns)) / row(columns) / 4 * 4;
    }

    /** The columns that a block computes at once; a tile with fewer columns wastes the others. */
    final int lanes() {
        return pack.lanes;
    }

    /** The distance between the rows of a product in a worker's memory. */
    final int row(int columns) {
        return Math.ceilDiv(columns, pack.lanes) * pack.lanes;
    }

    /** The start of the product, after the right factor. */
    final int product(int columns) {
        return rightStart(columns, rightDepth);
    }

    /**
     * Packs a strip of the left factor: {@code rows x depth} elements of {@code a} from {@code
     * base} on.
     */
    final void left(
            int worker,
            Buffer a,
            long base,
            long rowStride,
            long depthStride,
            int rows,
            int depth) {
        note(worker, depthStride == 1);
        if (depthStride == 1) pack.rows(a, base, rowStride, rows, depth, memory(worker), 0);
        else pack.panels(a, base, rowStride, depthStride, rows, depth, depth, memory(worker), 0);
    }

    /** Writes only if the value changes, because the flags of all workers share a cache line. */
    private void note(int worker, boolean rows) {
        if (byRows[worker] != rows) byRows[worker] = rows;
    }

    /**
     * Whether the right factor of a tile with this number of columns can be packed whole, up to
     * depth {@code k}, and stay in memory for many tiles: it may not be larger than the part of a
     * second-level cache that remains beside a strip.
     */
    final boolean holds(int columns, int k) {
        long factor = (long) row(columns) * k;
        long all = places.right() + factor + (long) row(columns) * STRIP;
        return factor <= sizes.held && all <= places.end(sizes.stored);
    }

    /** Reserves memory for right factors that are packed whole, up to depth {@code k}. */
    final void hold(int k) {
        rightDepth = k;
    }

    /**
     * Packs the right factor: {@code depth x columns} elements of {@code b} from {@code base} on,
     * after {@code before} rows that were packed already.
     */
    final void right(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            long columnStride,
            int columns,
            int depth,
            int before) {
        int at = rightStart(columns, before);
        pack.panels(b, base, columnStride, depthStride, columns, depth, depth, memory(worker), at);
    }

    /**
     * The start of panels of the right factor in a worker's memory, after {@code before} of its
     * rows with this number of columns.
     */
    final int rightStart(int columns, int before) {
        return places.right() + before * row(columns);
    }

    /**
     * Packs a slice of a strip of the left factor, {@code depth} of its {@code total} from depth
     * {@code from} on. A strip is packed either whole or in slices.
     */
    final void leftSlice(
            int worker,
            Buffer a,
            long base,
            long rowStride,
            long depthStride,
            int rows,
            int depth,
            int from,
            int total) {
        note(worker, false);
        int at = pack.place(0, from, total);
        pack.panels(a, base, rowStride, depthStride, rows, depth, total, memory(worker), at);
    }

    /**
     * Packs a slice of a right factor whose column j begins at element {@code base + offsets[j]}; a
     * column with a negative offset is zero.
     */
    final void rightSlice(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            int[] offsets,
            int columns,
            int depth,
            int from,
            int total) {
        int at = places.right() + pack.place(0, from, total);
        pack.gather(b, base, depthStride, offsets, columns, depth, total, memory(worker), at);
    }

    /**
     * Packs one column of the right factor: element k is {@code offsets[k]} after {@code base}, or
     * is zero if negative.
     */
    final void rightColumn(int worker, Buffer b, long base, int[] offsets, int column, int depth) {
        int at = places.right() + pack.place(column, 0, depth);
        pack.column(b, base, offsets, depth, memory(worker), at);
    }

    /**
     * Multiplies the packed strip of {@code rows} rows with the right factor, block by block. They
     * become rows of the product from {@code row} on, or are added to these. Each panel of the
     * right factor is multiplied with all rows before the next panel. The panel then stays in the
     * first-level cache, and the strip is read from the second level; a block reads far fewer bytes
     * of the strip than of the panel. In the other order two 512-bit multiply-adds per cycle would
     * read 32 bytes per cycle from the second level, more than cores with two such units deliver.
     */
    final void multiply(int worker, int rows, int row, int columns, int depth, boolean add) {
        multiply(worker, rows, row, columns, depth, 0, add);
    }

    /** As above, with the right factor after {@code before} of its rows. */
    final void multiply(
            int worker, int rows, int row, int columns, int depth, int before, boolean add) {
        for (int j = 0; j < columns; j += pack.lanes) {
            int height;
            for (int f = 0; f < rows; f += height) {
                height = height(worker, f, rows);
                block(worker, height, f, row + f, j, columns, depth, before, add);
            }
        }
    }

    /** Rows of the block from {@code first} on; the last may reach beyond {@code rows}. */
    final int height(int worker, int first, int rows) {
        int left = rows - first;
        return height(byRows[worker] ? left : Math.min(left, pack.lanes - first % pack.lanes));
    }

    final void block(
            int worker,
            int height,
            int first,
            int row,
            int j,
            int columns,
            int depth,
            int before,
            boolean add) {
        var x = memory(worker);
        int width = row(columns);
        int to = product(columns) + row * width + j;
        int right = rightStart(columns, before) + pack.place(j, 0, depth);
        if (byRows[worker]) {
            blocks().rows(height, depth, x, first * depth, depth, x, right, x, to, width, add);
        } else {
            int at = pack.place(first, 0, depth);
            blocks().columns(height, depth, x, at, pack.lanes, x, right, x, to, width, add);
        }
    }

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

    /** Sets the product to zero, the value of a sum over a depth of zero. */
    final void clear(int worker) {
        zero(memory(worker), places.right(), places.end(sizes.stored));
    }

    /** Writes row {@code i} of the product to {@code out}, which is of the panels' own type. */
    final void store(int worker, int i, int columns, Buffer out, long position) {
        pack.store(memory(worker), product(columns) + i * row(columns), columns, out, position);
    }

    /**
     * Gives {@code rows} rows of the product from {@code first} on to an epilogue: the first for
     * {@code position} on, each {@code outRow} after the one before.
     */
    final void finish(
            int worker,
            int first,
            int rows,
            int columns,
            Epilogue epilogue,
            Tile tile,
            long position,
            long outRow) {
        int width = row(columns);
        int at = product(columns) + first * width;
        epilogue(epilogue, tile, memory(worker), at, width, position, outRow, rows, columns);
    }
}
