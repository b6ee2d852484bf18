package dev.ebb.nn.data;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Array;

import java.lang.foreign.MemorySegment;

/** A dataset in memory: the rows of two arrays. */
record ArrayDataset(Array x, Array y) implements Dataset {
    ArrayDataset {
        if (x.rank() == 0 || y.rank() == 0 || x.dim(0) != y.dim(0)) {
            throw new ShapeException(
                    ("inputs of %s and targets of %s need as many rows each: their first axes must"
                                    + " be equal")
                            .formatted(x.type(), y.type()));
        }
    }

    @Override
    public int rows() {
        return x.dim(0);
    }

    @Override
    public Batch read(int[] rows) {
        return new Batch(picked(x, rows), picked(y, rows));
    }

    private Array picked(Array all, int[] rows) {
        long each = all.type().bytes() / Math.max(1, rows());
        return Array.make(
                all.type().with(all.shape().with(0, rows.length)),
                to -> {
                    for (int i = 0; i < rows.length; i++) {
                        requireRow(rows[i]);
                        MemorySegment.copy(
                                all.data().segment(), rows[i] * each, to.segment(), i * each, each);
                    }
                });
    }
}
