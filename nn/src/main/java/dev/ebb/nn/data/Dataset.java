package dev.ebb.nn.data;

import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Rows that are read by index, so that they can be read in any order and from any position. All
 * rows have the same types. An implementation is used by one thread at a time, which need not be
 * the one that created it.
 */
public interface Dataset {

    /** The number of rows. */
    int rows();

    /** These rows, in this order, as one batch of arrays. */
    Batch read(int[] rows);

    /** A dataset in memory: rows along the first axis of both arrays. */
    static Dataset of(Array x, Array y) {
        return new ArrayDataset(x, y);
    }

    /** A dataset of some of these rows. */
    default Dataset only(int[] rows) {
        var chosen = rows.clone();
        for (int row : chosen) requireRow(row);
        var whole = this;
        return new Dataset() {
            @Override
            public int rows() {
                return chosen.length;
            }

            @Override
            public Batch read(int[] some) {
                return whole.read(Arrays.stream(some).map(i -> chosen[i]).toArray());
            }
        };
    }

    /** A dataset divided in two. */
    record Split(Dataset train, Dataset validation) {}

    /** Divides the rows: a random share for validation, the others for training. */
    default Split split(double validation, Seed seed) {
        int held = (int) Math.round(rows() * validation);
        if (!(validation > 0 && validation < 1) || held == 0 || held == rows()) {
            throw new IllegalArgumentException(
                    "a share of %s of %s rows leaves one part empty; 0.1 is common"
                            .formatted(validation, rows()));
        }
        var order = Shuffle.shuffled(rows(), seed.of("split"));
        var first = IntStream.range(0, held).map(i -> order[i]).sorted().toArray();
        var rest = IntStream.range(held, rows()).map(i -> order[i]).sorted().toArray();
        return new Split(only(rest), only(first));
    }

    /** Throws if there is no row of this index. */
    default void requireRow(int row) {
        if (row < 0 || row >= rows())
            throw new IndexOutOfBoundsException("row " + row + " of " + rows() + ", from 0 on");
    }
}
