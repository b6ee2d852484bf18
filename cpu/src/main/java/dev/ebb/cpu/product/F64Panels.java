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
public final class F64Panels extends Panels<double[]> {
    private static final Sizes SIZES = new Sizes(F64Blocks.LANES, 128, 56 * 1024, 32 * 1024);

    private final Tiles tiles;

    F64Panels(Tiles tiles, PanelPlaces places, int workers) {
        super(SIZES, places, workers);
        this.tiles = tiles;
    }

    /** The places for products of such a size. */
    static PanelPlaces places(int m, int n, int depth, boolean kept) {
        return PanelPlaces.of(m, n, depth, kept, SIZES.columns());
    }

    static Need need(long parts, PanelPlaces places) {
        return Need.shared(parts).and(Bank.F64_PANEL, places.end(SIZES.stored()));
    }

    /** The most doubles that a kernel may use of a worker. */
    public static int stored() {
        return SIZES.stored();
    }

    @Override
    double[] memory(int worker) {
        return tiles.of(worker).f64Panel;
    }

    @Override
    Blocks<double[]> blocks() {
        return F64Blocks.BLOCKS;
    }

    @Override
    int height(int left) {
        return F64Blocks.HEIGHT;
    }

    @Override
    void packRows(Buffer from, long base, long row, int rows, int depth, double[] into) {
        F64Pack.rows(from, base, row, rows, depth, into, 0);
    }

    @Override
    void packPanels(
            Buffer from,
            long base,
            long lane,
            long step,
            int lanes,
            int depth,
            int total,
            double[] into,
            int at) {
        F64Pack.panels(from, base, lane, step, lanes, depth, total, into, at);
    }

    @Override
    void packGathered(
            Buffer from,
            long base,
            long step,
            int[] offsets,
            int lanes,
            int depth,
            int total,
            double[] into,
            int at) {
        F64Pack.gather(from, base, step, offsets, lanes, depth, total, into, at);
    }

    @Override
    void packColumn(Buffer from, long base, int[] offsets, int depth, double[] into, int at) {
        F64Pack.column(from, base, offsets, depth, into, at);
    }

    @Override
    void copy(double[] x, int from, int count, Buffer out, long position) {
        var to = out.segment();
        var layout = ValueLayout.JAVA_DOUBLE_UNALIGNED;
        MemorySegment.copy(x, from, to, layout, position * 8, count);
    }

    @Override
    void zero(double[] x, int from, int to) {
        Arrays.fill(x, from, to, 0);
    }

    @Override
    void epilogue(
            Epilogue epilogue,
            Tile tile,
            double[] x,
            int at,
            int width,
            long position,
            long outRow,
            int rows,
            int columns) {
        epilogue.rows(tile, x, at, width, position, outRow, rows, columns);
    }
}
