package dev.ebb.cpu.product;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileForm;
import dev.ebb.cpu.tile.TileProgram;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * A right factor that is decoded (for example dequantised) while it is packed: its elements are
 * evaluated in registers of the tile and written to the panels only.
 */
final class FactorDecoder {
    private static final int LANES = F32Blocks.LANES;

    private final TileProgram program;
    private final int result;

    FactorDecoder(Kernel.Map factor, List<Buffer> encoded) {
        var sources = new ArrayList<TileProgram.Source>();
        for (int i = 0; i < encoded.size(); i++)
            sources.add(new TileProgram.Source.Memory(encoded.get(i), factor.operands().get(i)));
        program = new TileProgram(factor.bodies(), factor.shape(), sources);
        result = program.result(0);
    }

    /** The scratch memory that it needs for each worker. */
    static KernelScratch scratch(Kernel.Map factor, List<DType> encoded) {
        var args = new ArrayList<TileForm.Arg>();
        for (int i = 0; i < encoded.size(); i++)
            args.add(new TileForm.Arg.Read(encoded.get(i), factor.operands().get(i)));
        return TileForm.of(factor.bodies(), factor.shape(), args).scratch();
    }

    /**
     * Packs {@code depth x columns} elements from {@code base} on into panels from {@code at} on.
     * One of the strides is 1: elements are evaluated along it.
     */
    void pack(
            Tile tile,
            long base,
            long depthStride,
            long columnStride,
            int columns,
            int depth,
            int at) {
        program.begin(tile, program.length());
        if (columnStride == 1) {
            for (int k = 0; k < depth; k++)
                across(tile, base + k * depthStride, columns, depth, at + k * LANES);
        } else {
            for (int j = 0; j < columns; j++) {
                int to = at + j / LANES * LANES * depth + j % LANES;
                down(tile, base + j * columnStride, depth, to);
            }
        }
    }

    /** A row of the factor, a part of it in every panel. */
    private void across(Tile tile, long base, int columns, int depth, int at) {
        for (int done = 0; done < columns; done += program.length()) {
            int some = Math.min(program.length(), columns - done);
            program.run(tile, base + done, some);
            int n;
            for (int j = 0; j < some; j += n) {
                int lane = (done + j) % LANES;
                n = Math.min(LANES - lane, some - j);
                int to = at + (done + j - lane) * depth + lane;
                System.arraycopy(tile.f32, result + j, tile.f32Panel, to, n);
            }
        }
    }

    /** A column of the factor, one lane of a panel. */
    private void down(Tile tile, long base, int depth, int at) {
        for (int done = 0; done < depth; done += program.length()) {
            int some = Math.min(program.length(), depth - done);
            program.run(tile, base + done, some);
            spread(tile.f32, result, some, tile.f32Panel, at + done * LANES);
        }
    }

    private static void spread(float[] from, int first, int n, float[] into, int at) {
        for (int k = 0; k < n; k++) into[at + k * LANES] = from[first + k];
    }
}
