package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.Tile;

/**
 * The body of a fold over columns that reads numbers of the rows; the numbers are computed for
 * several rows ahead.
 */
record RowColumns(RowNumbers numbers, RowBody body, long rows, long width) implements FoldBody {
    @Override
    public void expect(long elements) {
        numbers.expect(elements);
        body.expect(elements);
    }

    @Override
    public void begin(Tile tile, int n) {
        tile.lastRow = 0;
    }

    /** A run has at most one row. */
    @Override
    public int length() {
        return (int) Math.min(body.length(), width);
    }

    @Override
    public int result() {
        return body.result();
    }

    @Override
    public void run(Tile tile, long position, int n) {
        long row = position / width;
        if (row >= tile.lastRow || row < tile.firstRow) {
            numbers.make(tile, row, (int) Math.min(numbers.rows(), rows - row));
            body.begin(tile, length());
        }
        body.run(tile, position, n);
    }
}
