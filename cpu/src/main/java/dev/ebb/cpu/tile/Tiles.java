package dev.ebb.cpu.tile;

/** The memory of a program's workers: one tile for each. */
public final class Tiles {
    private final ProgramScratch scratch;
    private Tile[] tiles;

    public Tiles(ProgramScratch scratch, int workers) {
        this.scratch = scratch;
        tiles = new Tile[workers];
        for (int i = 0; i < workers; i++) tiles[i] = new Tile(scratch.worker(i));
    }

    /** These tiles if they are large enough for these kernels too, otherwise larger ones. */
    public Tiles with(ProgramScratch more, int workers) {
        boolean enough = workers == tiles.length;
        for (int i = 0; i < workers && enough; i++)
            enough = more.worker(i).isWithin(scratch.worker(i));
        return enough ? this : new Tiles(scratch.and(more), workers);
    }

    public ProgramScratch scratch() {
        return scratch;
    }

    public Tile of(int worker) {
        return tiles[worker];
    }

    /** Throws if a kernel needs more memory than was counted for the program. */
    public void check(String kernel, KernelScratch needed) {
        for (int i = 0; i < Math.min(tiles.length, needed.workers()); i++) {
            if (!needed.isWithin(scratch.worker(i))) {
                throw new IllegalStateException(
                        ("%s needs %s of worker %s, which has %s: reserve memory for all nodes of a"
                                        + " program first")
                                .formatted(kernel, needed, i, scratch.worker(i)));
            }
        }
    }

    /** Frees the memory. */
    public void close() {
        tiles = new Tile[0];
    }
}
