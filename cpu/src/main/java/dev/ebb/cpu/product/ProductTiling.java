package dev.ebb.cpu.product;

/**
 * How the product of an {@code m x k} and a {@code k x n} matrix is cut into tiles for some
 * workers. Every tile packs its own share of both factors, so that tiles need nothing of each other
 * and large ones pack less; but there should be enough of them, and evenly many for each worker.
 * Each worker begins with tiles that follow each other down the columns, and packs their share of
 * the right factor once if its depth is one block. The cut never shows in the bits.
 */
record ProductTiling(int rows, int columns, int m, int n) {
    /** What packing an element costs, in multiply-adds of a full vector lane at peak. */
    private static final double PACKING = 16;

    /** What it costs to read a packed element of the right factor again for a strip of rows. */
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

    /** The quickest cut for {@code batch} such products. */
    static ProductTiling of(int batch, int m, int n, int k, Panels panels, int workers) {
        var best = new ProductTiling(4, panels.lanes(), m, n);
        double least = Double.POSITIVE_INFINITY;
        int wide = Math.max(1, Math.ceilDiv(n, panels.lanes()));
        for (int j = Math.max(1, Math.ceilDiv(n, panels.columns())); j <= wide; j = next(j)) {
            int columns = even(n, j, panels.lanes());
            int most = k > Panels.DEPTH ? panels.rows(columns) : TALL;
            int tall = Math.max(1, Math.ceilDiv(m, 4));
            for (int i = Math.max(1, Math.ceilDiv(m, most)); i <= tall; i = next(i)) {
                var grid = new ProductTiling(even(m, i, 4), columns, m, n);
                double cost = grid.cost(batch, k, panels.lanes(), workers);
                if (cost < least) {
                    least = cost;
                    best = grid;
                }
            }
        }
        return best;
    }

    /** How many pieces to try after so many. */
    private static int next(int pieces) {
        return Math.max(pieces + 1, pieces * 5 / 4);
    }

    /** The size that cuts {@code length} into equal pieces, in multiples of {@code unit}. */
    private static int even(int length, int pieces, int unit) {
        return Math.max(unit, Math.ceilDiv(Math.ceilDiv(length, pieces), unit) * unit);
    }

    /**
     * How long the workers take together, in multiply-adds of a lane. They claim tile after tile,
     * and the last to end may have begun one when the others had none left to claim: on average
     * half a tile more, the likelier the more workers there are. Cores are seldom equally fast:
     * among sixteen virtual ones that were measured, some took twice as long as others.
     */
    private double cost(int batch, int k, int lanes, int workers) {
        double arithmetic =
                (double) Math.min(rows, Math.ceilDiv(m, 4) * 4)
                        * Math.ceilDiv(columns, lanes)
                        * lanes;
        double reading = READING * columns * Math.ceilDiv(rows, Panels.STRIP);
        double left = arithmetic + reading + PACKING * rows;
        double right = PACKING * columns;
        long share = Math.ceilDiv((long) batch * tiles(), workers);
        double waiting = 0.5 * (workers - 1) / workers;
        return (share + waiting) * left + (packed(share, k) + waiting) * right;
    }

    /** How many times a worker packs a share of the right factor for so many tiles. */
    private long packed(long share, int k) {
        if (k > Panels.DEPTH || share == 0) return share;
        long across = Math.ceilDiv(share, down());
        return down() % share == 0 || share % down() == 0 ? across : Math.min(share, across + 1);
    }
}
