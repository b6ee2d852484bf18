package dev.ebb.cpu.product;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;

import java.util.Arrays;

/** Panels of F64. */
public final class F64Panels extends Panels<double[]> {
    private static final Sizes SIZES = new Sizes(128, 56 * 1024, 32 * 1024);

    private final Tiles tiles;

    F64Panels(Tiles tiles, PanelLayout places, int workers) {
        super(F64Pack.PACK, SIZES, places, workers);
        this.tiles = tiles;
    }

    /**
     * The layout of the packed factors and the product in a worker's memory, for products of this
     * size.
     */
    static PanelLayout places(int m, int n, int depth, boolean kept) {
        return PanelLayout.of(m, n, depth, kept, SIZES.columns());
    }

    static KernelScratch scratch(long parts, PanelLayout places) {
        return KernelScratch.shared(parts).and(ScratchArray.F64_PANEL, places.end(SIZES.stored()));
    }

    /** The most doubles that a kernel may use for each worker. */
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
