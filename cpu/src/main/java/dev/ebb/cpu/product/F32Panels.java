package dev.ebb.cpu.product;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.ir.Buffer;

import java.util.Arrays;

/** Panels of F32, from factors in F32, BF16 or F16. */
public final class F32Panels extends Panels<float[]> {
    private static final int LANES = F32Blocks.LANES;

    /** A worker's memory also has the additional elements for {@link F32Transpose}. */
    private static final Sizes SIZES =
            new Sizes(512, 3 * 256 * 256 - F32Transpose.SPARE, (LANES == 32 ? 128 : 64) * 1024);

    private final Tiles tiles;

    F32Panels(Tiles tiles, PanelLayout places, int workers) {
        super(F32Pack.PACK, SIZES, places, workers);
        this.tiles = tiles;
    }

    /**
     * The layout of the packed factors and the product in a worker's memory, for products of this
     * size.
     */
    static PanelLayout places(int m, int n, int depth, boolean kept) {
        return PanelLayout.of(m, n, depth, kept, SIZES.columns());
    }

    /**
     * The scratch memory of a kernel that uses this number of floats for each worker, at most
     * {@link #stored}.
     */
    public static KernelScratch scratch(long parts, int floats) {
        return KernelScratch.shared(parts).and(ScratchArray.F32_PANEL, floats + F32Transpose.SPARE);
    }

    static KernelScratch scratch(long parts, PanelLayout places) {
        return scratch(parts, places.end(SIZES.stored()));
    }

    /** The most floats that a kernel may use for each worker. */
    public static int stored() {
        return SIZES.stored();
    }

    @Override
    float[] memory(int worker) {
        return tiles.of(worker).f32Panel;
    }

    @Override
    Blocks<float[]> blocks() {
        return F32Blocks.BLOCKS;
    }

    @Override
    int height(int left) {
        return F32Blocks.height(left);
    }

    @Override
    void zero(float[] x, int from, int to) {
        Arrays.fill(x, from, to, 0);
    }

    @Override
    void epilogue(
            Epilogue epilogue,
            Tile tile,
            float[] x,
            int at,
            int width,
            long position,
            long outRow,
            int rows,
            int columns) {
        epilogue.rows(tile, x, at, width, position, outRow, rows, columns);
    }

    /**
     * Multiplies the packed rows, which are contiguous along their depth, with a right factor in
     * memory; the product is stored as the first rows of the result, or added to these.
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
        var x = memory(worker);
        F32FewRows.rows(
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

    /** Stores each block while the next one is computed. */
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
                        F32Blocks.put(
                                memory(worker), from, width, out.segment(), to * 4, outRow * 4);
                        continue;
                    }
                    int some = Math.min(LANES, columns - j);
                    for (int i = 0; i < Math.min(4, rows - f); i++)
                        F32Pack.PACK.store(
                                memory(worker), from + i * width, some, out, to + i * outRow);
                }
            }
        }
    }
}
