package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.util.List;

/**
 * The kernels that are loops over elements: maps, folds, moves and running sums, with the tiles
 * they share.
 */
final class Elementwise {
    private final Workers workers;
    private final Tiles tiles;

    Elementwise(Workers workers) {
        this.workers = workers;
        tiles = new Tiles(workers.threads());
    }

    Tiles tiles() {
        return tiles;
    }

    /** What these kernels own besides the arena. */
    long fixedBytes() {
        return tiles.bytes();
    }

    Runnable map(Kernel.Map k, List<Buffer> in, List<Buffer> out) {
        return new MapKernel(k, in, out, workers, tiles);
    }
}
