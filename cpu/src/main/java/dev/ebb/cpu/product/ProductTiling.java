package dev.ebb.cpu.product;

/**
 * How the product of an {@code m x k} and a {@code k x n} matrix is split into tiles for a number
 * of workers. Every tile packs its own part of both factors, so that tiles are independent and
 * large ones pack less in total; but there should be enough tiles for all workers, and equally many
 * per worker. Each worker starts with consecutive tiles down the same columns; if all of their part
 * of the right factor fits in its memory, it packs that once. The tiling does not affect the bits.
 *
 * @param holds whether the right factor of a tile is packed whole and stays for the next one
 */
record ProductTiling(int rows, int columns, int m, int n, boolean holds) {
    /** The cost of packing an element, in multiply-adds of a full vector lane at peak. */
    private static final double PACKING = 16;

    /** The cost of reading a packed element of the right factor again for a strip of rows. */
    private static final double READING = 4;

    /**
     * The most rows of a tile whose right factor is not kept: fewer and larger tiles are
     * distributed unevenly.
     */
    private static final int TALL = 512;

    int down() {
        return Math.ceilDiv(m, rows);
    }

    int across() {
        return Math.ceilDiv(n, columns);
    }

    int tiles() {
        return down() * across();
    }

    /**
     * The fastest tiling for {@code batch} such products.
     *
     * @param byRows whether the left factor is stored row by row; otherwise it takes longer to
     *     pack, and should be packed for many columns at once rather than next to a right factor
     *     that is kept
     */
    static ProductTiling of(
            int batch, int m, int n, int k, boolean byRows, Panels<?> panels, int workers) {
        var best = new ProductTiling(4, panels.lanes(), m, n, false);
        double least = Double.POSITIVE_INFINITY;
        int wide = Math.max(1, Math.ceilDiv(n, panels.lanes()));
        for (int j = Math.max(1, Math.ceilDiv(n, panels.columns())); j <= wide; j = next(j)) {
            int columns = even(n, j, panels.lanes());
            boolean holds = k <= Panels.DEPTH || (byRows && panels.holds(columns, k));
            int most = holds ? TALL : panels.rows(columns);
            int tall = Math.max(1, Math.ceilDiv(m, 4));
            for (int i = Math.max(1, Math.ceilDiv(m, most)); i <= tall; i = next(i)) {
                var grid = new ProductTiling(even(m, i, 4), columns, m, n, holds);
                double cost = grid.cost(batch, panels.lanes(), workers);
                if (cost < least) {
                    least = cost;
                    best = grid;
                }
            }
        }
        return best;
    }

    /** The next number of pieces to try. */
    private static int next(int pieces) {
        return Math.max(pieces + 1, pieces * 5 / 4);
    }

    /** The tile size that splits {@code length} into equal pieces, in multiples of {@code unit}. */
    private static int even(int length, int pieces, int unit) {
        return Math.max(unit, Math.ceilDiv(Math.ceilDiv(length, pieces), unit) * unit);
    }

    /**
     * The estimated time of the workers, in multiply-adds of a lane. Workers claim one tile after
     * the other, and the last worker to finish may have started a tile when none were left for the
     * others: on average this costs half a tile, and it is more likely with more workers. Cores are
     * seldom equally fast: of sixteen virtual cores that were measured, some took twice as long as
     * others.
     */
    private double cost(int batch, int lanes, int workers) {
        double arithmetic =
                (double) Math.min(rows, Math.ceilDiv(m, 4) * 4)
                        * Math.ceilDiv(columns, lanes)
                        * lanes;
        double reading = READING * columns * Math.ceilDiv(rows, Panels.STRIP);
        double left = arithmetic + reading + PACKING * rows;
        double right = PACKING * columns;
        long share = Math.ceilDiv((long) batch * tiles(), workers);
        double waiting = 0.5 * (workers - 1) / workers;
        return (share + waiting) * left + (packed(share) + waiting) * right;
    }

    /** How many times a worker packs a part of the right factor for this number of tiles. */
    private long packed(long share) {
        if (!holds || share == 0) return share;
        long across = Math.ceilDiv(share, down());
        return down() % share == 0 || share % down() == 0 ? across : Math.min(share, across + 1);
    }
}
