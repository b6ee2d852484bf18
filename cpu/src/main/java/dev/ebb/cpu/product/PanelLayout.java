package dev.ebb.cpu.product;

/**
 * Where the packed factors of a product and the product itself are in a worker's memory: first a
 * strip of the left factor, then the right factor, then the product. Sizes are rounded up to a
 * multiple of the widest panel, so that they are the same on every machine.
 *
 * @param strip rows of the left factor that are packed at once
 * @param depth the greatest depth that is packed at once
 * @param columns the most columns of a tile
 * @param rows rows of the product for which there is memory
 */
record PanelLayout(int strip, int depth, int columns, int rows) {
    private static final int UNIT = 32;

    /**
     * For products of {@code m x n}.
     *
     * @param kept whether a tile's product stays while its depth is summed, or only a strip's
     * @param mostColumns the most columns that a tile may have
     */
    static PanelLayout of(int m, int n, int depth, boolean kept, int mostColumns) {
        int strip = Math.min(Panels.STRIP, up(m, UNIT));
        return new PanelLayout(
                strip,
                Math.clamp(depth, 1, Panels.DEPTH),
                Math.min(mostColumns, up(Math.min(n, mostColumns), UNIT)),
                kept ? up(m, 4) : strip);
    }

    private static int up(int size, int unit) {
        return Math.max(1, Math.ceilDiv(size, unit)) * unit;
    }

    /** The start of the right factor. */
    int right() {
        return strip * depth;
    }

    /** The start of the product of a tile whose rows are {@code row} apart. */
    int product(int row) {
        return right() + row * depth;
    }

    /** The end of the largest product, in a memory of {@code most} elements. */
    int end(int most) {
        return (int) Math.min(most, product(columns) + (long) rows * columns);
    }
}
