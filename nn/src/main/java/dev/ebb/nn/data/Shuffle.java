package dev.ebb.nn.data;

import dev.ebb.nn.Seed;

/** Random orders of rows. */
final class Shuffle {
    private Shuffle() {}

    /** The numbers below {@code rows} in an order that depends on the seed alone. */
    static int[] shuffled(int rows, Seed seed) {
        var order = plain(rows);
        for (int i = rows - 1; i > 0; i--) {
            int j = (int) seed.below(i + 1L, i);
            int moved = order[i];
            order[i] = order[j];
            order[j] = moved;
        }
        return order;
    }

    static int[] plain(int rows) {
        var order = new int[rows];
        for (int i = 0; i < rows; i++) order[i] = i;
        return order;
    }
}
