package dev.ebb.nn.parallel;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Runs a rank's exchanges one after the other, in program order, so that all ranks make the same
 * exchanges in the same order. An exchange that is started runs on a separate thread during the
 * computation; one whose result is needed immediately runs on the calling thread, after all earlier
 * ones.
 */
public final class ExchangeQueue implements AutoCloseable {
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("ebb-exchange").factory());
    private Future<?> latest = CompletableFuture.completedFuture(null);

    /** Creates a queue; its thread starts with the first exchange. */
    public ExchangeQueue() {}

    /** Starts an exchange; use {@link #await} to wait for it. */
    synchronized Future<?> start(Runnable exchange) {
        latest = thread.submit(exchange);
        return latest;
    }

    /** Runs an exchange after all that were started before. */
    void run(Runnable exchange) {
        Future<?> before;
        synchronized (this) {
            before = latest;
        }
        await(before);
        exchange.run();
    }

    /** Waits for an exchange; throws its exception if it failed. */
    static void await(Future<?> exchange) {
        try {
            exchange.get();
        } catch (ExecutionException e) {
            throw new PeerException(
                    e.getCause() == null ? e.toString() : String.valueOf(e.getCause().getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PeerException("this rank was stopped while it exchanged", e);
        }
    }

    /** Waits for all exchanges; afterwards the thread of this queue uses none of their memory. */
    public void settle() {
        var ended = new CountDownLatch(1);
        synchronized (this) {
            if (thread.isShutdown()) return;
            latest.cancel(true);
            latest = thread.submit(ended::countDown);
        }
        uninterrupted(() -> ended.await(1, TimeUnit.MINUTES));
    }

    @Override
    public void close() {
        thread.shutdownNow();
        uninterrupted(() -> thread.awaitTermination(1, TimeUnit.MINUTES));
    }

    /** A wait that returns whether the event has happened. */
    private interface Wait {
        boolean ended() throws InterruptedException;
    }

    /**
     * Waits for the end despite interrupts, because memory is freed afterwards; restores the
     * interrupt.
     */
    private static void uninterrupted(Wait wait) {
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended = wait.ended();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) Thread.currentThread().interrupt();
    }
}
