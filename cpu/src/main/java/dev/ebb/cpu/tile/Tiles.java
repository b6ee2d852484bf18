package dev.ebb.cpu.tile;

/** The memory of a program's workers: one tile for each. */
public final class Tiles {
    private final Needs needs;
    private Tile[] tiles;

    public Tiles(Needs needs, int workers) {
        this.needs = needs;
        tiles = new Tile[workers];
        for (int i = 0; i < workers; i++) tiles[i] = new Tile(needs.worker(i));
    }

    /** These tiles if they are large enough for these kernels too, else larger ones. */
    public Tiles with(Needs more, int workers) {
        boolean enough = workers == tiles.length;
        for (int i = 0; i < workers && enough; i++)
            enough = more.worker(i).isWithin(needs.worker(i));
        return enough ? this : new Tiles(needs.and(more), workers);
    }

    public Needs needs() {
        return needs;
    }

    public Tile of(int worker) {
        return tiles[worker];
    }

    /** Throws if a kernel needs more memory than was counted for the program. */
    public void check(String kernel, Need need) {
        for (int i = 0; i < Math.min(tiles.length, need.workers()); i++) {
            if (!need.isWithin(needs.worker(i))) {
                throw new IllegalStateException(
                        kernel
                                + " needs "
                                + need
                                + " of worker "
                                + i
                                + ", which has "
                                + needs.worker(i)
                                + ": reserve memory for all nodes of a program first");
            }
        }
    }

    /** Frees the memory. */
    public void close() {
        tiles = new Tile[0];
    }
}
