package dev.ebb.exec.transfer;

import dev.ebb.exec.EarlierFailure;
import dev.ebb.exec.PlaceException;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Memory;
import dev.ebb.plan.schedule.Place;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A place that values are offloaded to, and one thread that writes or reads it while the program
 * computes, in the order of the requests. A two-way place has a lane for each direction: a transfer
 * then waits for those of the other lane that were started before it and touch the same bytes. A
 * transfer that failed is reported to the first caller that waits for it.
 */
final class TransferLane implements AutoCloseable {
    private static final int IDLE = 0;
    private static final int UNDER_WAY = 1;
    private static final int FAILED = 2;

    private final Place place;
    private final PlaceStore store;
    private final Queue queue;
    private final Traffic traffic;
    private final BlockingQueue<LaneTransfer> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;

    /** Events of the queue for reuse, for which no transfer waits. */
    private final java.util.Queue<Queue.Event> unused = new ConcurrentLinkedQueue<>();

    private volatile long highest;
    private int pending;
    private volatile boolean closed;

    TransferLane(Place place, PlaceStore store, Queue queue, Traffic traffic) {
        this.place = place;
        this.store = store;
        this.queue = queue;
        this.traffic = traffic;
        thread = Thread.ofPlatform().daemon().name("ebb-transfer").unstarted(this::serve);
        thread.start();
    }

    /**
     * The unfinished transfers in all lanes of one place, in the order in which they were started.
     */
    static final class Traffic {
        private final List<LaneTransfer> underWay = new ArrayList<>();

        /** The transfers in other lanes that {@code next} has to wait for. */
        private synchronized List<LaneTransfer> begin(LaneTransfer next) {
            var earlier = underWay.stream().filter(next::followsInOtherLane).toList();
            underWay.add(next);
            return earlier;
        }

        private synchronized void end(LaneTransfer done) {
            underWay.removeIf(t -> t == done);
        }
    }

    /** A transfer that the thread of this lane performs. */
    final class LaneTransfer implements Transfer {
        private final PlaceStore.Block block;
        private final Memory memory;
        private final boolean out;

        /**
         * The event after the work on the queue for which this transfer waits; null when it is not
         * under way.
         */
        private Queue.@Nullable Event ready;

        private List<LaneTransfer> earlier = List.of();
        private int state = IDLE;
        private Throwable fault = new IOException("no fault");

        LaneTransfer(PlaceStore.Block block, Memory memory, boolean out) {
            this.block = block;
            this.memory = memory;
            this.out = out;
        }

        @Override
        public void start() {
            if (closed)
                throw new IllegalStateException(
                        "a closed program cannot transfer values to or from its places");
            var moment = unused.poll();
            if (moment == null) moment = queue.event();
            moment.mark();
            var before = traffic.begin(this);
            synchronized (this) {
                ready = moment;
                earlier = before;
                state = UNDER_WAY;
            }
            count(1);
            waiting.add(this);
        }

        /**
         * Returns when the bytes are transferred. An interrupt ends the wait, not the transfer: see
         * {@link TransferLane#idle}.
         */
        @Override
        public void await() {
            synchronized (this) {
                try {
                    while (state == UNDER_WAY) wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw interrupted();
                }
                if (state == FAILED) throw failure();
            }
        }

        /** The same, but an interrupt does not end the wait; it is kept for later. */
        void finish() {
            boolean interrupted = false;
            synchronized (this) {
                while (state == UNDER_WAY) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) Thread.currentThread().interrupt();
            synchronized (this) {
                if (state == FAILED) throw failure();
            }
        }

        private RuntimeException failure() {
            if (fault instanceof EarlierFailure earlier) return earlier.failure();
            var message =
                    block.name() + (out ? " could not be written" : " could not be read back");
            var why = fault instanceof IOException e ? reason(e) : fault.toString();
            return new PlaceException(message, block.bytes(), place, why, fault);
        }

        private synchronized Queue.Event ready() {
            return Objects.requireNonNull(ready);
        }

        private TransferLane lane() {
            return TransferLane.this;
        }

        private boolean followsInOtherLane(LaneTransfer other) {
            return other.lane() != lane() && other.block.overlaps(block);
        }

        private synchronized List<LaneTransfer> earlier() {
            return earlier;
        }

        private synchronized void awaitEnd() throws InterruptedException {
            while (state == UNDER_WAY) wait();
        }

        private void run() {
            int end = IDLE;
            var ready = ready();
            try {
                for (var transfer : earlier()) transfer.awaitEnd();
                if (out) {
                    store.write(block, memory, ready);
                    highest = Math.max(highest, block.offset() + block.bytes());
                } else {
                    if (!block.written()) throw new IOException("nothing has been written there");
                    store.read(block, memory, ready);
                }
            } catch (Throwable e) {
                // any failure is passed on: a caller that waits would wait for a dead thread
                fault = e;
                end = FAILED;
            }
            traffic.end(this);
            synchronized (this) {
                state = end;
                notifyAll();
            }
            unused.add(ready);
            count(-1);
        }
    }

    private static String reason(IOException e) {
        var message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    /** Refuses to start a run with transfers if its thread has been interrupted. */
    static void heed() {
        if (Thread.currentThread().isInterrupted()) throw interrupted();
    }

    private static CancellationException interrupted() {
        return new CancellationException(
                "the thread of a run was interrupted during a transfer of offloaded values; the run"
                    + " has ended without a result, and the next run starts from the beginning");
    }

    private synchronized void count(int change) {
        pending += change;
        notifyAll();
    }

    /** Returns when nothing is under way, after a run that has failed. */
    synchronized void idle() {
        boolean interrupted = false;
        while (pending > 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }

    /** The end of the last byte that has been written. */
    long highest() {
        return highest;
    }

    private void serve() {
        try {
            while (!closed) waiting.take().run();
        } catch (InterruptedException e) {
            // closed
        }
    }

    /** Ends the thread, also during a transfer. An interrupt of the caller is kept for later. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }
}
