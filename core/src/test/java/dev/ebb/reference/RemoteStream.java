package dev.ebb.reference;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** A thread that does its work in order and pauses now and then, as a stream of a GPU may. */
final class RemoteStream implements AutoCloseable {
    private final LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private final Random random;
    private final Thread thread;
    private volatile boolean closed;

    /** With pauses that {@code random} draws. */
    RemoteStream(String name, Random random) {
        this.random = random;
        thread = Thread.ofPlatform().daemon().name(name).start(this::serve);
    }

    private void serve() {
        try {
            while (!closed) {
                var next = work.take();
                if (random.nextInt(64) == 0) LockSupport.parkNanos(random.nextInt(100_000));
                next.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Puts at the end; {@code body} must not throw. */
    void add(Runnable body) {
        if (closed) throw new IllegalStateException("this queue is closed");
        work.add(body);
    }

    /** Waits for all work so far; a closed one has none. */
    void drain() {
        if (closed) return;
        var done = new CompletableFuture<Boolean>();
        add(() -> done.complete(true));
        done.join();
    }

    /** Waits for all work so far and ends the thread. */
    @Override
    public void close() {
        if (closed) return;
        drain();
        closed = true;
        thread.interrupt();
    }
}
