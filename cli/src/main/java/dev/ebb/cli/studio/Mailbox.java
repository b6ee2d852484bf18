package dev.ebb.cli.studio;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The latest event for one reader. An event that was not read when the next comes is dropped, so a
 * reader that is slow costs no memory; each event tells how many came before it, so he knows.
 */
final class Mailbox {
    private Optional<String> latest = Optional.empty();
    private boolean closed;

    synchronized void put(String event) {
        latest = Optional.of(event);
        notifyAll();
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    synchronized boolean isClosed() {
        return closed && latest.isEmpty();
    }

    /** The latest event, taken; empty if none comes in time. */
    synchronized Optional<String> take(long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (latest.isEmpty() && !closed) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) return Optional.empty();
            wait(left);
        }
        var taken = latest;
        latest = Optional.empty();
        return taken;
    }
}
