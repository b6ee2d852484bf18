package dev.ebb.cpu;

/** A tile for each worker. */
final class Tiles {
    private final Tile[] tiles;

    Tiles(int workers) {
        tiles = new Tile[workers];
        for (int i = 0; i < workers; i++) tiles[i] = new Tile();
    }

    Tile of(int worker) {
        return tiles[worker];
    }

    long bytes() {
        return tiles.length * Tile.bytes();
    }
}
