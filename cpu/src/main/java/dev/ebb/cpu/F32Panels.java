package dev.ebb.cpu;

import dev.ebb.ir.Buffer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Panels of F32, from factors in F32, BF16 or F16. */
final class F32Panels extends Panels {
    private static final int LANES = F32Blocks.LANES;
    private static final int ROWS = 256;
    private static final int COLUMNS = 256;

    /**
     * Where in a worker's store the right factor and the product begin; the left factor is at its
     * start.
     */
    private static final int RIGHT = ROWS * DEPTH;

    private static final int PRODUCT = RIGHT + COLUMNS * DEPTH;
    private static final int STORED = PRODUCT + ROWS * COLUMNS;

    private final float[][] stores;

    /**
     * For each worker, whether its left factor lies row by row, or in panels like the right one.
     */
    private final boolean[] byRows;

    F32Panels(int workers) {
        stores = new float[workers][STORED];
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
    int rows() {
        return ROWS;
    }

    @Override
    int columns() {
        return COLUMNS;
    }

    @Override
    int lanes() {
        return LANES;
    }

    @Override
    long bytes() {
        return 4L * STORED * stores.length;
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
    void multiply(int worker, int rows, int columns, int depth, boolean add) {
        var x = stores[worker];
        int row = row(columns);
        for (int j = 0; j < columns; j += LANES) {
            for (int i = 0; i < rows; i += 4) {
                int to = PRODUCT + i * row + j;
                if (byRows[worker]) {
                    F32Blocks.rows(
                            depth, x, i * depth, depth, x, RIGHT + j * depth, x, to, row, add);
                } else {
                    int at = i / LANES * LANES * depth + i % LANES;
                    F32Blocks.columns(depth, x, at, LANES, x, RIGHT + j * depth, x, to, row, add);
                }
            }
        }
    }

    @Override
    void clear(int worker) {
        Arrays.fill(stores[worker], PRODUCT, STORED, 0);
    }

    /** How far apart the rows of a product lie. */
    private static int row(int columns) {
        return Math.ceilDiv(columns, LANES) * LANES;
    }

    @Override
    void store(int worker, int i, int columns, Buffer out, long position) {
        int at = PRODUCT + i * row(columns);
        MemorySegment.copy(
                stores[worker],
                at,
                out.segment(),
                ValueLayout.JAVA_FLOAT_UNALIGNED,
                position * 4,
                columns);
    }

    @Override
    void finish(int worker, int i, int columns, Epilogue epilogue, Tile tile, long position) {
        epilogue.run(tile, stores[worker], PRODUCT + i * row(columns), position, columns);
    }
}
