package dev.ebb.nn.data;

import dev.ebb.nn.Seed;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Batches of a dataset, epoch by epoch. The order of an epoch's rows depends on the seed and the
 * number of the epoch alone, so reading can start at any row of any epoch and gives the same
 * batches as an uninterrupted run. A separate thread prefetches batches.
 *
 * @param batch the rows of a batch
 * @param seed shuffles the rows of each epoch; without it, they keep their order
 * @param ahead the number of batches that are prefetched
 */
public record Loader(Dataset data, int batch, Optional<Seed> seed, int ahead) {
    private static final int AHEAD = 2;

    public Loader {
        if (batch < 1 || batch > data.rows()) {
            throw new IllegalArgumentException(
                    "batches of %s rows from %s; a batch has at least one row and at most all"
                            .formatted(batch, data.rows()));
        }
        if (ahead < 0) throw new IllegalArgumentException("read " + ahead + " batches ahead");
    }

    /** Rows in a different random order in each epoch. */
    public static Loader shuffled(Dataset data, int batch, Seed seed) {
        return new Loader(data, batch, Optional.of(seed), AHEAD);
    }

    /** Rows in their original order. */
    public static Loader inOrder(Dataset data, int batch) {
        return new Loader(data, batch, Optional.empty(), AHEAD);
    }

    /** A batch whose first {@code rows} rows count; the others are padding. */
    public record Filled(Batch batch, int rows) {}

    /** The number of full batches of an epoch. The remaining rows are left out. */
    public int batches() {
        return data.rows() / batch;
    }

    /** Reads the full batches of an epoch from its row {@code row} on. */
    public Reader full(long epoch, int row) {
        requireStart(row);
        return new Reader(this, order(epoch), row, batches() * batch);
    }

    /** Reads all rows of the first epoch; the last batch is padded with copies of its last row. */
    public Reader all() {
        return new Reader(this, order(0), 0, data.rows());
    }

    private void requireStart(int row) {
        if (row >= 0 && row % batch == 0 && row <= batches() * batch) return;
        throw new IllegalArgumentException(
                "row " + row + " is not the first of a batch of " + batch + " rows");
    }

    private int[] order(long epoch) {
        return seed.map(s -> Shuffle.shuffled(data.rows(), s.of(epoch)))
                .orElseGet(() -> Shuffle.plain(data.rows()));
    }

    /** Reads one batch after the other. Closing it ends its thread. */
    public static final class Reader implements AutoCloseable {
        private final int[] order;
        private final int size;
        private final int end;
        private final int ahead;
        private final Dataset data;
        private final Deque<Future<Filled>> waiting = new ArrayDeque<>();
        private final ExecutorService thread;
        private int asked;
        private int given;

        private Reader(Loader loader, int[] order, int from, int end) {
            this.order = order;
            this.end = end;
            size = loader.batch;
            ahead = loader.ahead;
            data = loader.data;
            asked = from;
            given = from;
            thread =
                    Executors.newSingleThreadExecutor(
                            Thread.ofPlatform().daemon().name("ebb batches").factory());
        }

        public boolean hasNext() {
            return given < end;
        }

        /** The next batch; waits for it. */
        public Filled next() {
            if (!hasNext()) throw new NoSuchElementException("the epoch has no further batch");
            while (asked < end && waiting.size() <= ahead) {
                int from = asked;
                waiting.add(thread.submit(() -> read(from)));
                asked = Math.min(end, asked + size);
            }
            var filled = finished(waiting.remove());
            given += filled.rows();
            return filled;
        }

        private Filled read(int from) {
            int rows = Math.min(size, end - from);
            var numbers = Arrays.copyOfRange(order, from, from + size);
            if (rows < size) Arrays.fill(numbers, rows, size, order[from + rows - 1]);
            return new Filled(data.read(numbers), rows);
        }

        private static Filled finished(Future<Filled> batch) {
            try {
                return batch.get();
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case RuntimeException cause -> throw cause;
                    case Error cause -> throw cause;
                    case null, default -> throw new IllegalStateException(e.getCause());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a batch was read", e);
            }
        }

        @Override
        public void close() {
            thread.shutdownNow();
        }
    }
}
