package dev.ebb.cpu;

import dev.ebb.ir.Buffer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Panels of F32, from factors in F32, BF16 or F16. */
final class F32Panels extends Panels {
    private static final int LANES = F32Blocks.LANES;
    private static final int COLUMNS = 512;

    /** What a worker's store holds, of which {@link F32Transpose} has the rest. */
    private static final int STORED = 3 * 256 * 256 - F32Transpose.SPARE;

    /** Where the right factor begins; the strip of the left one lies before it. */
    private static final int RIGHT = STRIP * DEPTH;

    private final float[][] stores;

    /** For each worker, whether its strip of the left factor lies row by row, or in panels. */
    private final boolean[] byRows;

    F32Panels(int workers) {
        stores = new float[workers][STORED + F32Transpose.SPARE];
        byRows = new boolean[workers];
    }

    /** The heap scratch of a worker, free to be used by a kernel that packs no panels meanwhile. */
    float[] store(int worker) {
        return stores[worker];
    }

    /** How many floats {@link #store} holds. */
    static int stored() {
        return STORED;
    }

    @Override
    int columns() {
        return COLUMNS;
    }

    @Override
    int rows(int columns) {
        return (STORED - product(columns)) / row(columns) / 4 * 4;
    }

    @Override
    int lanes() {
        return LANES;
    }

    @Override
    long bytes() {
        return 4L * (STORED + F32Transpose.SPARE) * stores.length;
    }

    @Override
    void left(
            int worker,
            Buffer a,
            long base,
            long rowStride,
            long depthStride,
            int rows,
            int depth) {
        byRows[worker] = depthStride == 1;
        if (depthStride == 1) F32Pack.rows(a, base, rowStride, rows, depth, stores[worker], 0);
        else F32Pack.panels(a, base, rowStride, depthStride, rows, depth, depth, stores[worker], 0);
    }

    @Override
    void right(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            long columnStride,
            int columns,
            int depth) {
        F32Pack.panels(
                b, base, columnStride, depthStride, columns, depth, depth, stores[worker], RIGHT);
    }

    @Override
    void leftSlice(
            int worker,
            Buffer a,
            long base,
            long rowStride,
            long depthStride,
            int rows,
            int depth,
            int from,
            int total) {
        byRows[worker] = false;
        F32Pack.panels(
                a, base, rowStride, depthStride, rows, depth, total, stores[worker], from * LANES);
    }

    @Override
    void rightSlice(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            int[] offsets,
            int columns,
            int depth,
            int from,
            int total) {
        F32Pack.gather(
                b,
                base,
                depthStride,
                offsets,
                columns,
                depth,
                total,
                stores[worker],
                RIGHT + from * LANES);
    }

    @Override
    void rightColumn(int worker, Buffer b, long base, int[] offsets, int column, int depth) {
        int at = RIGHT + column / LANES * LANES * depth + column % LANES;
        F32Pack.column(b, base, offsets, depth, stores[worker], at);
    }

    @Override
    void multiply(int worker, int first, int row, int columns, int depth, boolean add) {
        for (int j = 0; j < columns; j += LANES) block(worker, first, row, j, columns, depth, add);
    }

    private void block(int worker, int first, int row, int j, int columns, int depth, boolean add) {
        var x = stores[worker];
        int width = row(columns);
        int to = product(columns) + row * width + j;
        int right = RIGHT + j * depth;
        if (byRows[worker]) {
            F32Blocks.rows(depth, x, first * depth, depth, x, right, x, to, width, add);
        } else {
            int at = first / LANES * LANES * depth + first % LANES;
            F32Blocks.columns(depth, x, at, LANES, x, right, x, to, width, add);
        }
    }

    /** Block by block, so that memory takes each while the next is computed. */
    @Override
    void multiplyAndStore(
            int worker,
            int first,
            int row,
            int columns,
            int depth,
            boolean add,
            Buffer out,
            long position,
            long outRow) {
        int whole = columns / LANES * LANES;
        int width = row(columns);
        int from = product(columns) + row * width;
        for (int j = 0; j < whole; j += LANES) {
            block(worker, first, row, j, columns, depth, add);
            long p = (position + j) * 4;
            F32Blocks.put(stores[worker], from + j, width, out.segment(), p, outRow * 4);
        }
        if (whole == columns) return;
        block(worker, first, row, whole, columns, depth, add);
        for (int i = 0; i < 4; i++) {
            long p = position + i * outRow + whole;
            copy(worker, from + i * width + whole, columns - whole, out, p);
        }
    }

    private void copy(int worker, int from, int count, Buffer out, long position) {
        MemorySegment.copy(
                stores[worker],
                from,
                out.segment(),
                ValueLayout.JAVA_FLOAT_UNALIGNED,
                position * 4,
                count);
    }

    @Override
    void clear(int worker) {
        Arrays.fill(stores[worker], RIGHT, STORED, 0);
    }

    /** How far apart the rows of a product lie. */
    private static int row(int columns) {
        return Math.ceilDiv(columns, LANES) * LANES;
    }

    /** Where a product begins: after the right factor. */
    private static int product(int columns) {
        return RIGHT + row(columns) * DEPTH;
    }

    @Override
    void store(int worker, int i, int columns, Buffer out, long position) {
        copy(worker, product(columns) + i * row(columns), columns, out, position);
    }

    @Override
    void finish(int worker, int i, int columns, Epilogue epilogue, Tile tile, long position) {
        epilogue.run(tile, stores[worker], product(columns) + i * row(columns), position, columns);
    }
}
