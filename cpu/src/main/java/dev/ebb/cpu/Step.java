package dev.ebb.cpu;

/**
 * One operation on the registers of a tile: {@code n} elements, the first of which is at {@code
 * position}.
 */
@FunctionalInterface
interface Step {
    void run(Tile tile, long position, int n);
}
