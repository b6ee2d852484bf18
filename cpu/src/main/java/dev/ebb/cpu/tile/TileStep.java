package dev.ebb.cpu.tile;

/** One operation on the registers of a tile: {@code n} elements, the first at {@code position}. */
@FunctionalInterface
public interface TileStep {
    void run(Tile tile, long position, int n);
}
