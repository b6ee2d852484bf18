package dev.ebb.cpu;

/** The memory of a program's workers: a tile for each. */
final class Tiles {
    private final Needs needs;
    private Tile[] tiles;

    Tiles(Needs needs, int workers) {
        this.needs = needs;
        tiles = new Tile[workers];
        for (int i = 0; i < workers; i++) tiles[i] = new Tile(needs.worker(i));
    }

    /** These if they have room for such kernels too, or larger ones. */
    Tiles with(Needs more, int workers) {
        boolean enough = workers == tiles.length;
        for (int i = 0; i < workers && enough; i++)
            enough = more.worker(i).isWithin(needs.worker(i));
        return enough ? this : new Tiles(needs.and(more), workers);
    }

    Needs needs() {
        return needs;
    }

    Tile of(int worker) {
        return tiles[worker];
    }

    /** Throws if a kernel needs more than was counted for it. */
    void check(String kernel, Need need) {
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

    /** Gives the memory back. */
    void close() {
        tiles = new Tile[0];
    }
}
