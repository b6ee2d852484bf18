package dev.ebb.cpu.work;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that share the parts of one kernel: the caller and daemon workers claim part after part
 * until none is left. Which thread runs a part is left to chance, so a kernel must cut its work
 * such that no bit depends on it: a part owns its outputs, and no sum crosses from one part to
 * another.
 *
 * <p>One word holds the generation of the run and the parts still to be claimed, so that a worker
 * that wakes late can never take a part of a run it does not know. A run does not wait for sleeping
 * workers: what they do not claim, others do. Idle workers spin for a short while, as kernels
 * follow each other within microseconds, then park; with more threads than cores they park at once.
 * A run allocates nothing.
 */
public final class Workers implements AutoCloseable {
    /** Below this a second thread costs more than it saves. */
    public static final int GRAIN = 16 * 1024;

    /**
     * The body of a run: does {@code part}, with the scratch of {@code worker}, which no other part
     * uses meanwhile.
     */
    public interface Part {
        void run(int part, int worker);
    }

    private static final long SPIN_NANOS = 40_000;
    private static final VarHandle TICKET;
    private static final VarHandle PENDING;

    static {
        try {
            var lookup = MethodHandles.lookup();
            TICKET = lookup.findVarHandle(Workers.class, "ticket", long.class);
            PENDING = lookup.findVarHandle(Workers.class, "pending", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int threads;
    private final long spinNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Worker[] crew;

    /** Upper half: generation; lower half: parts of it that nobody has claimed. */
    private volatile long ticket;

    private volatile int pending;
    private volatile boolean closed;
    private volatile @Nullable Thread waiting;
    private @Nullable Part body;

    /** Workers from this number on have no part in the run. */
    private volatile int most;

    private int parts;
    private boolean running;
    private volatile @Nullable Throwable failure;

    public Workers(int threads) {
        if (threads < 1) throw new IllegalArgumentException(threads + " threads; use at least 1");
        this.threads = threads;
        spinNanos = threads <= Runtime.getRuntime().availableProcessors() ? SPIN_NANOS : 0;
        crew = new Worker[threads - 1];
    }

    /** How many parts may run at once; worker numbers are below it. */
    int threads() {
        return threads;
    }

    /**
     * Runs parts {@code 0} to {@code parts - 1}, each once, and returns when all are done. The
     * first exception of a part is thrown here. Called from within a part, it runs all parts there,
     * one after the other.
     */
    void run(int parts, Part body) {
        run(parts, threads, body);
    }

    /** As above, by at most so many workers, those with the lowest numbers. */
    void run(int parts, int workers, Part body) {
        if (parts <= 0) return;
        int least = Math.min(parts, Math.min(workers, threads));
        if (Thread.currentThread() instanceof Worker inside && inside.crew() == this) {
            int number = Math.min(inside.number, least - 1);
            for (int i = 0; i < parts; i++) body.run(i, number);
            return;
        }
        lock.lock();
        try {
            if (least == 1 || running || closed) {
                for (int i = 0; i < parts; i++) body.run(i, 0);
            } else {
                share(parts, least, body);
            }
        } finally {
            lock.unlock();
        }
    }

    private void share(int parts, int workers, Part body) {
        if (crew[0] == null) start();
        this.body = body;
        this.parts = parts;
        most = workers;
        failure = null;
        running = true;
        pending = parts;
        ticket = ((ticket >>> 32) + 1) << 32 | parts;
        wake(workers - 1);
        work(0);
        await();
        running = false;
        this.body = null;
        var thrown = failure;
        if (thrown != null) rethrow(thrown);
    }

    private void start() {
        for (int i = 0; i < crew.length; i++) crew[i] = new Worker(i + 1);
        for (Worker worker : crew) worker.start();
    }

    private void wake(int most) {
        for (int i = 0; i < crew.length && most > 0; i++) {
            if (crew[i].parked) LockSupport.unpark(crew[i]);
            most--;
        }
    }

    /** Claims and runs parts until none is left. */
    private void work(int worker) {
        for (long t = ticket; (int) t > 0 && worker < most; t = ticket) {
            // a run that has parts left is the latest, so that most is its own
            if (!TICKET.compareAndSet(this, t, t - 1)) continue;
            // this run cannot end before the claimed part does, so body and parts are its own
            var claimed = body;
            try {
                if (failure == null && claimed != null) claimed.run(parts - (int) t, worker);
            } catch (Throwable e) {
                failure = e;
            }
            if ((int) PENDING.getAndAdd(this, -1) == 1 && worker > 0) LockSupport.unpark(waiting);
        }
    }

    private void await() {
        long end = System.nanoTime() + spinNanos;
        while (pending > 0) {
            if (System.nanoTime() < end) {
                Thread.onSpinWait();
                continue;
            }
            waiting = Thread.currentThread();
            if (pending > 0) LockSupport.park(this);
            waiting = null;
        }
    }

    private static void rethrow(Throwable thrown) {
        switch (thrown) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(thrown);
        }
    }

    /** Ends the workers. Runs after this are done by their caller alone. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            for (Worker worker : crew) if (worker != null) LockSupport.unpark(worker);
        } finally {
            lock.unlock();
        }
    }

    private final class Worker extends Thread {
        private final int number;
        private volatile boolean parked;

        Worker(int number) {
            super("ebb-worker-" + number);
            this.number = number;
            setDaemon(true);
        }

        Workers crew() {
            return Workers.this;
        }

        @Override
        public void run() {
            while (!closed) {
                work(number);
                idle();
            }
        }

        private boolean hasNothing() {
            return (int) ticket == 0 || number >= most;
        }

        private void idle() {
            long end = System.nanoTime() + spinNanos;
            while (hasNothing() && !closed) {
                if (System.nanoTime() < end) {
                    Thread.onSpinWait();
                    continue;
                }
                parked = true;
                if (hasNothing() && !closed) LockSupport.park(Workers.this);
                parked = false;
            }
        }
    }
}
