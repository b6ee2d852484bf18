package dev.ebb.cpu;

/**
 * How the product of an {@code m x k} and a {@code k x n} matrix is cut into tiles for some
 * workers. Every tile packs its own share of both factors, so that tiles need nothing of each other
 * and large ones pack less; but there should be enough of them, and evenly many for each worker.
 * The cut never shows in the bits.
 */
record Grid(int rows, int columns, int m, int n) {
    /** What packing an element costs, in multiply-adds of a full vector lane at peak. */
    private static final double PACKING = 4;

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
    static Grid of(int batch, int m, int n, Panels panels, int workers) {
        var best = new Grid(1, 1, m, n);
        double least = Double.POSITIVE_INFINITY;
        for (int rows = panels.rows(); rows >= 4; rows /= 2) {
            for (int columns = panels.columns(); columns >= panels.lanes(); columns /= 2) {
                var grid = new Grid(even(m, rows, 4), even(n, columns, panels.lanes()), m, n);
                double cost = grid.cost((long) batch * grid.tiles(), panels.lanes(), workers);
                if (cost < least) {
                    least = cost;
                    best = grid;
                }
            }
        }
        return best;
    }

    /**
     * The size that cuts {@code length} into equal pieces of at most {@code most}, in multiples of
     * {@code unit}.
     */
    private static int even(int length, int most, int unit) {
        int pieces = Math.max(1, Math.ceilDiv(length, most));
        return Math.max(unit, Math.ceilDiv(Math.ceilDiv(length, pieces), unit) * unit);
    }

    private double cost(long parts, int lanes, int workers) {
        double packing = PACKING * (rows + columns);
        double arithmetic =
                (double) Math.min(rows, Math.ceilDiv(m, 4) * 4)
                        * Math.ceilDiv(columns, lanes)
                        * lanes;
        return Math.ceilDiv(parts, workers) * (arithmetic + packing);
    }
}
