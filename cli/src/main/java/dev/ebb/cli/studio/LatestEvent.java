package dev.ebb.cli.studio;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The latest event for one page. A new event replaces one that was not read yet, so a slow page
 * costs no memory. Each event has its number, from which the page sees how many it missed.
 */
final class LatestEvent {
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

    /** Waits for an event and removes it; empty if none arrives in time. */
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
