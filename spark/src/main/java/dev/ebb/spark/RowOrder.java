package dev.ebb.spark;

import dev.ebb.nn.Seed;

import java.io.Serializable;

/**
 * The order of a table's rows in training. It is different in each epoch and depends only on the
 * seed, the epoch and a row's position. Epochs follow each other without a gap: a batch that
 * reaches the end of one is filled with the first rows of the next, so that all batches are full.
 *
 * <p>The order is a permutation computed row by row: a Feistel network on the least even number of
 * bits that can represent the count, applied until the result is below the count (Black and
 * Rogaway, 2002).
 *
 * @param rows the number of rows of the table
 */
record RowOrder(long seed, long rows) implements Serializable {
    private static final int ROUNDS = 6;

    RowOrder {
        if (rows < 1)
            throw new IllegalArgumentException("there are no rows to train on; look at the filter");
    }

    /** The position, among the rows of all epochs, of row {@code row} in epoch {@code epoch}. */
    long place(long row, long epoch) {
        int half = Math.max(1, (64 - Long.numberOfLeadingZeros(rows - 1) + 1) / 2);
        var own = new Seed(seed).of("rows").of(epoch);
        long at = row;
        do at = permuted(own, at, half);
        while (at >= rows);
        return epoch * rows + at;
    }

    private static long permuted(Seed seed, long x, int half) {
        long mask = (1L << half) - 1;
        long left = x >>> half;
        long right = x & mask;
        for (int round = 0; round < ROUNDS; round++) {
            long mixed = seed.of(round).bits(right) & 0xffffffffL;
            long next = (left ^ mixed) & mask;
            left = right;
            right = next;
        }
        return left << half | right;
    }
}
