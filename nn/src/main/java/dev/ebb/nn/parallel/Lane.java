package dev.ebb.nn.parallel;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Where a rank's exchanges run: one after the other, in the order in which the program asks for
 * them, so that all ranks exchange the same things in the same order. One that is started runs
 * beside the computation, on a thread of its own; one whose result is wanted at once runs on the
 * thread that wants it, after those before it.
 */
public final class Lane implements AutoCloseable {
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("ebb-exchange").factory());
    private Future<?> latest = CompletableFuture.completedFuture(null);

    /** Its thread starts with the first exchange. */
    public Lane() {}

    /** Begins an exchange; {@link #await} says when it is done. */
    synchronized Future<?> start(Runnable exchange) {
        latest = thread.submit(exchange);
        return latest;
    }

    /** Runs an exchange after all that were started. */
    void run(Runnable exchange) {
        Future<?> before;
        synchronized (this) {
            before = latest;
        }
        await(before);
        exchange.run();
    }

    /** Returns when an exchange is done; throws what it threw. */
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

    /** Ends what is under way; its thread then uses no memory of it any more. */
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

    /** Something that is waited for in turns, until it says that it has come. */
    private interface Wait {
        boolean ended() throws InterruptedException;
    }

    /**
     * Waits until all has ended, as memory is given back afterwards; keeps an interrupt for later.
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
