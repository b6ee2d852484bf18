package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.Tile;

/** What a fold combines, computed into a tile's register. */
public interface Body {
    /** Says how many elements are about to be computed. */
    void expect(long elements);

    /** What is the same for every run on this tile, for runs of at most {@code n} elements. */
    void begin(Tile tile, int n);

    /** The most elements one run may compute. */
    int length();

    /** Where the register of the values begins. */
    int result();

    /** Computes {@code n} positions from {@code position} on. */
    void run(Tile tile, long position, int n);
}
