package dev.ebb.cpu.tile;

/** The arrays of a worker's memory, each of which a kernel may need more or less of. */
public enum Bank {
    /** Registers, and the numbers of rows before them where a kernel has such. */
    F32(4),
    I32(4),
    F64(8),
    I64(8),

    /** Where folds gather a block of elements that does not fit a register. */
    F32_BLOCK(4),
    F64_BLOCK(8),
    I64_BLOCK(8),

    /** Accumulators for the folds of columns, on three levels. */
    F32_SUMS(3 * 4),
    F64_SUMS(3 * 8),
    I64_SUMS(3 * 8),

    /** Where narrow elements lie on their way between memory and registers. */
    HALVES(2),
    BYTES(1),

    /** What is there once or not at all: how far a walk over a view has come, and the like. */
    WALKS(Tile.WALK_BYTES),

    /** Packed factors of matrix products, and the tiles of attention. */
    F32_PANEL(4),
    F64_PANEL(8);

    private final int bytes;

    Bank(int bytes) {
        this.bytes = bytes;
    }

    /** The bytes of this number of elements. */
    long bytes(int elements) {
        return (long) bytes * elements;
    }
}
