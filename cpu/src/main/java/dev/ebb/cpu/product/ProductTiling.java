package dev.ebb.cpu.product;

/**
 * How the product of an {@code m x k} and a {@code k x n} matrix is split into tiles for a number
 * of workers. Every tile packs its own part of both factors, so that tiles are independent and
 * large ones pack less in total; but there should be enough of them, and equally many per worker.
 * Each worker starts with consecutive tiles down the same columns; where their part of the right
 * factor fits whole in its memory, it packs that once. The tiling does not affect the bits.
 *
 * @param holds whether the right factor of a tile is packed whole and stays for the next one
 */
record ProductTiling(int rows, int columns, int m, int n, boolean holds) {
    /** The cost of packing an element, in multiply-adds of a full vector lane at peak. */
    private static final double PACKING = 16;

    /** The cost of reading a packed element of the right factor again for a strip of rows. */
    private static final double READING = 4;

    /** The most rows of a tile that need not be kept: fewer and larger tiles share badly. */
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
     * @param byRows whether the left factor lies row by row: others take longer to pack, and are
     *     better packed for many columns at once than beside a right factor that is held whole
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

    /** The size that cuts {@code length} into equal pieces, in multiples of {@code unit}. */
    private static int even(int length, int pieces, int unit) {
        return Math.max(unit, Math.ceilDiv(Math.ceilDiv(length, pieces), unit) * unit);
    }

    /**
     * The estimated time of the workers, in multiply-adds of a lane. They claim tile after tile,
     * and the last one to finish may have started a tile when none were left for the others: on
     * average half a tile more, and more likely with more workers. Cores are seldom equally fast:
     * among sixteen virtual ones that were measured, some took twice as long as others.
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
