package dev.ebb.cpu.product;

import dev.ebb.cpu.tile.Bank;
import dev.ebb.cpu.tile.Need;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.ir.Buffer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Panels of F32, from factors in F32, BF16 or F16. */
public final class F32Panels extends Panels {
    private static final int LANES = F32Blocks.LANES;
    private static final int COLUMNS = 512;

    /** The most a worker holds beside what {@link F32Transpose} has. */
    private static final int STORED = 3 * 256 * 256 - F32Transpose.SPARE;

    /** Floats of a right factor that a worker holds: half of its second-level cache or less. */
    private static final int HELD = (LANES == 32 ? 128 : 64) * 1024;

    private final Tiles tiles;
    private final PanelPlaces places;

    /** To which depth there is room for a right factor. */
    private int rightDepth;

    /** For each worker, whether its strip of the left factor lies row by row, or in panels. */
    private final boolean[] byRows;

    F32Panels(Tiles tiles, PanelPlaces places, int workers) {
        this.tiles = tiles;
        this.places = places;
        rightDepth = places.depth();
        byRows = new boolean[workers];
    }

    /** The places for products of such a size. */
    static PanelPlaces places(int m, int n, int depth, boolean kept) {
        return PanelPlaces.of(m, n, depth, kept, COLUMNS);
    }

    /** What a kernel needs of a worker that uses so many floats, at most {@link #stored}. */
    public static Need need(long parts, int floats) {
        return Need.shared(parts).and(Bank.F32_PANEL, floats + F32Transpose.SPARE);
    }

    static Need need(long parts, PanelPlaces places) {
        return need(parts, places.end(STORED));
    }

    /** The most floats that a kernel may use of a worker. */
    public static int stored() {
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
            F32Pack.rows(a, base, rowStride, rows, depth, tiles.of(worker).f32Panel, 0);
        else
            F32Pack.panels(
                    a,
                    base,
                    rowStride,
                    depthStride,
                    rows,
                    depth,
                    depth,
                    tiles.of(worker).f32Panel,
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
        F32Pack.panels(
                b,
                base,
                columnStride,
                depthStride,
                columns,
                depth,
                depth,
                tiles.of(worker).f32Panel,
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
        F32Pack.panels(
                a,
                base,
                rowStride,
                depthStride,
                rows,
                depth,
                total,
                tiles.of(worker).f32Panel,
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
        F32Pack.gather(
                b,
                base,
                depthStride,
                offsets,
                columns,
                depth,
                total,
                tiles.of(worker).f32Panel,
                places.right() + from * LANES);
    }

    @Override
    void rightColumn(int worker, Buffer b, long base, int[] offsets, int column, int depth) {
        int at = places.right() + column / LANES * LANES * depth + column % LANES;
        F32Pack.column(b, base, offsets, depth, tiles.of(worker).f32Panel, at);
    }

    @Override
    void multiply(int worker, int rows, int row, int columns, int depth, int before, boolean add) {
        for (int j = 0; j < columns; j += LANES) {
            int height;
            for (int f = 0; f < rows; f += height) {
                height = height(worker, f, rows);
                block(worker, height, f, row + f, j, columns, depth, before, add);
            }
        }
    }

    /** Rows of the block from {@code first} on; the last may reach beyond {@code rows}. */
    private int height(int worker, int first, int rows) {
        int left = rows - first;
        return F32Blocks.height(byRows[worker] ? left : Math.min(left, LANES - first % LANES));
    }

    private void block(
            int worker,
            int height,
            int first,
            int row,
            int j,
            int columns,
            int depth,
            int before,
            boolean add) {
        var x = tiles.of(worker).f32Panel;
        int width = row(columns);
        int to = product(columns) + row * width + j;
        int right = rightStart(columns, before) + j * depth;
        if (byRows[worker]) {
            F32Blocks.BLOCKS.rows(
                    height, depth, x, first * depth, depth, x, right, x, to, width, add);
        } else {
            int at = first / LANES * LANES * depth + first % LANES;
            F32Blocks.BLOCKS.columns(height, depth, x, at, LANES, x, right, x, to, width, add);
        }
    }

    /**
     * Multiplies the packed rows, which lie along their depth, with a right factor in memory: they
     * become rows of the product from the first on, or are added to these.
     */
    void multiplyFew(
            int worker,
            Buffer b,
            long base,
            long depthStride,
            long columnStride,
            int rows,
            int columns,
            int depth,
            boolean add) {
        var x = tiles.of(worker).f32Panel;
        F32Few.rows(
                rows,
                depth,
                x,
                0,
                b.segment(),
                base * 4,
                depthStride * 4,
                columnStride * 4,
                columns,
                x,
                product(columns),
                row(columns),
                add);
    }

    /** Block by block, so that memory takes each while the next is computed. */
    @Override
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
        int width = row(columns);
        for (int j = 0; j < columns; j += LANES) {
            for (int f = 0; f < rows; ) {
                int height = height(worker, f, rows);
                block(worker, height, f, row + f, j, columns, depth, before, add);
                for (int end = f + height; f < end; f += 4) {
                    int from = product(columns) + (row + f) * width + j;
                    long to = position + f * outRow + j;
                    if (f + 4 <= rows && j + LANES <= columns) {
                        var panel = tiles.of(worker).f32Panel;
                        F32Blocks.put(panel, from, width, out.segment(), to * 4, outRow * 4);
                        continue;
                    }
                    int some = Math.min(LANES, columns - j);
                    for (int i = 0; i < Math.min(4, rows - f); i++)
                        copy(worker, from + i * width, some, out, to + i * outRow);
                }
            }
        }
    }

    private void copy(int worker, int from, int count, Buffer out, long position) {
        MemorySegment.copy(
                tiles.of(worker).f32Panel,
                from,
                out.segment(),
                ValueLayout.JAVA_FLOAT_UNALIGNED,
                position * 4,
                count);
    }

    @Override
    void clear(int worker) {
        Arrays.fill(tiles.of(worker).f32Panel, places.right(), places.end(STORED), 0);
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
        copy(worker, product(columns) + i * row(columns), columns, out, position);
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
        epilogue.rows(tile, tiles.of(worker).f32Panel, at, width, position, outRow, rows, columns);
    }
}
