package dev.ebb.cpu.product;

import dev.ebb.cpu.tile.Bank;
import dev.ebb.cpu.tile.Need;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.ir.Buffer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Panels of F64. */
public final class F64Panels extends Panels {
    private static final int LANES = F64Blocks.LANES;
    private static final int COLUMNS = 128;

    /** The most a worker holds. */
    private static final int STORED = 56 * 1024;

    /** Doubles of a right factor that a worker holds: half of its second-level cache or less. */
    private static final int HELD = 32 * 1024;

    private final Tiles tiles;
    private final PanelPlaces places;

    /** To which depth there is room for a right factor. */
    private int rightDepth;

    /** For each worker, whether its strip of the left factor lies row by row, or in panels. */
    private final boolean[] byRows;

    F64Panels(Tiles tiles, PanelPlaces places, int workers) {
        this.tiles = tiles;
        this.places = places;
        rightDepth = places.depth();
        byRows = new boolean[workers];
    }

    /** The places for products of such a size. */
    static PanelPlaces places(int m, int n, int depth, boolean kept) {
        return PanelPlaces.of(m, n, depth, kept, COLUMNS);
    }

    /** The most doubles that a kernel may use of a worker. */
    public static int stored() {
        return STORED;
    }

    static Need need(long parts, PanelPlaces places) {
        return Need.shared(parts).and(Bank.F64_PANEL, places.end(STORED));
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
    void left(
            int worker,
            Buffer a,
            long base,
            long rowStride,
            long depthStride,
            int rows,
            int depth) {
        note(worker, depthStride == 1);
        if (depthStride == 1)
            F64Pack.rows(a, base, rowStride, rows, depth, tiles.of(worker).f64Panel, 0);
        else
            F64Pack.panels(
                    a,
                    base,
                    rowStride,
                    depthStride,
                    rows,
                    depth,
                    depth,
                    tiles.of(worker).f64Panel,
                    0);
    }

    /** Writes only what changes: the words of all workers share a cache line. */
    private void note(int worker, boolean rows) {
        if (byRows[worker] != rows) byRows[worker] = rows;
    }

    @Override
    void right(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            long columnStride,
            int columns,
            int depth,
            int before) {
        F64Pack.panels(
                b,
                base,
                columnStride,
                depthStride,
                columns,
                depth,
                depth,
                tiles.of(worker).f64Panel,
                rightStart(columns, before));
    }

    @Override
    boolean holds(int columns, int k) {
        long factor = (long) row(columns) * k;
        long all = places.right() + factor + (long) row(columns) * STRIP;
        return factor <= HELD && all <= places.end(STORED);
    }

    @Override
    void hold(int k) {
        rightDepth = k;
    }

    @Override
    int rightStart(int columns, int before) {
        return places.right() + before * row(columns);
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
        note(worker, false);
        F64Pack.panels(
                a,
                base,
                rowStride,
                depthStride,
                rows,
                depth,
                total,
                tiles.of(worker).f64Panel,
                from * LANES);
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
        F64Pack.gather(
                b,
                base,
                depthStride,
                offsets,
                columns,
                depth,
                total,
                tiles.of(worker).f64Panel,
                places.right() + from * LANES);
    }

    @Override
    void rightColumn(int worker, Buffer b, long base, int[] offsets, int column, int depth) {
        int at = places.right() + column / LANES * LANES * depth + column % LANES;
        F64Pack.column(b, base, offsets, depth, tiles.of(worker).f64Panel, at);
    }

    @Override
    void multiply(int worker, int rows, int row, int columns, int depth, int before, boolean add) {
        for (int j = 0; j < columns; j += LANES) {
            for (int f = 0; f < rows; f += F64Blocks.HEIGHT)
                block(worker, f, row + f, j, columns, depth, before, add);
        }
    }

    private void block(
            int worker,
            int first,
            int row,
            int j,
            int columns,
            int depth,
            int before,
            boolean add) {
        var x = tiles.of(worker).f64Panel;
        int width = row(columns);
        int to = product(columns) + row * width + j;
        int right = rightStart(columns, before) + j * depth;
        if (byRows[worker]) {
            F64Blocks.BLOCKS.rows(
                    F64Blocks.HEIGHT, depth, x, first * depth, depth, x, right, x, to, width, add);
        } else {
            int at = first / LANES * LANES * depth + first % LANES;
            F64Blocks.BLOCKS.columns(
                    F64Blocks.HEIGHT, depth, x, at, LANES, x, right, x, to, width, add);
        }
    }

    @Override
    void clear(int worker) {
        Arrays.fill(tiles.of(worker).f64Panel, places.right(), places.end(STORED), 0);
    }

    /** How far apart the rows of a product lie. */
    private static int row(int columns) {
        return Math.ceilDiv(columns, LANES) * LANES;
    }

    /** Where a product begins: after the right factor. */
    private int product(int columns) {
        return rightStart(columns, rightDepth);
    }

    @Override
    void store(int worker, int i, int columns, Buffer out, long position) {
        int at = product(columns) + i * row(columns);
        MemorySegment.copy(
                tiles.of(worker).f64Panel,
                at,
                out.segment(),
                ValueLayout.JAVA_DOUBLE_UNALIGNED,
                position * 8,
                columns);
    }

    @Override
    void finish(
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
        epilogue.rows(tile, tiles.of(worker).f64Panel, at, width, position, outRow, rows, columns);
    }
}
