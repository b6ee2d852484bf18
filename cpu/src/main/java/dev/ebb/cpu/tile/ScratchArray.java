package dev.ebb.cpu.tile;

/** The kinds of arrays in a worker's scratch memory; each kernel needs its own size of each. */
public enum ScratchArray {
    /** Registers, preceded by the numbers of rows in kernels that have such numbers. */
    F32(4),
    I32(4),
    F64(8),
    I64(8),

    /** A buffer in which folds gather a block of elements that does not fit a register. */
    F32_BLOCK(4),
    F64_BLOCK(8),
    I64_BLOCK(8),

    /** Accumulators for folds over columns, on three levels. */
    F32_SUMS(3 * 4),
    F64_SUMS(3 * 8),
    I64_SUMS(3 * 8),

    /** A buffer for sixteen-bit elements between memory and registers. */
    HALVES(2),
    BYTES(1),

    /**
     * Small arrays of fixed size, needed once or not at all, such as the index of an iteration over
     * a view.
     */
    WALKS(Tile.WALK_BYTES),

    /** Packed factors of matrix products, and the tiles of attention. */
    F32_PANEL(4),
    F64_PANEL(8);

    private final int bytes;

    ScratchArray(int bytes) {
        this.bytes = bytes;
    }

    /** The bytes of this number of elements. */
    long bytes(int elements) {
        return (long) bytes * elements;
    }
}
