package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.Tile;

/** Computes the values that a fold combines, into a tile's register. */
public interface FoldBody {
    /** Announces how many elements are about to be computed. */
    void expect(long elements);

    /**
     * Computes the values that are the same for every run on this tile, for runs of at most {@code
     * n} elements.
     */
    void begin(Tile tile, int n);

    /** The most elements of one run. */
    int length();

    /** The start of the register of the values. */
    int result();

    /** Computes {@code n} positions from {@code position} on. */
    void run(Tile tile, long position, int n);
}
