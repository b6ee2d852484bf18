package dev.ebb.cpu.work;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that share the parts of one kernel: the caller and daemon workers claim part after part
 * until none is left. Any thread may run any part, so a kernel must split its work such that no bit
 * depends on it: a part owns its outputs, and no sum crosses from one part to another.
 *
 * <p>A run divides its parts into one range of consecutive parts per worker, always in the same way
 * for the same number of parts. A worker processes its own range first, then steals from others. So
 * workers seldom contend for the same word of memory; what one has packed for a part serves the
 * next; and kernels over the same rows find them in the cache of the core that computed them.
 *
 * <p>A word per range holds the generation of the run and the parts still to be claimed, so that a
 * worker that wakes late can never take a part of a run it does not know. A run does not wait for
 * sleeping workers: others claim their parts. Idle workers spin for a short while, as kernels
 * follow each other within microseconds, then park; with more threads than cores they park at once.
 * A run allocates nothing.
 */
public final class Workers implements AutoCloseable {
    /** With less work than this, a second thread costs more than it saves. */
    public static final int GRAIN = 16 * 1024;

    /**
     * A part of the work: computes {@code part} with the scratch memory of {@code worker}, which no
     * other part uses meanwhile.
     */
    public interface Part {
        void run(int part, int worker);
    }

    private static final long SPIN_NANOS = 40_000;

    /**
     * The stride at which entries of {@link #words} share no cache line, nor a pair that is
     * prefetched together.
     */
    private static final int APART = 16;

    /** The index in {@link #words} of the number of parts that are not done. */
    private static final int PENDING = APART;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final int threads;
    private final long spinNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Worker[] crew;

    /**
     * Entries {@link #APART} apart: the parts of the run that are not done yet; then for each
     * worker the generation of the run (upper half) and the number of parts at the end of its range
     * that are not claimed yet (lower half).
     */
    private final long[] words;

    /**
     * Upper half: generation; lower half: workers with this number or a larger one have no parts in
     * the run.
     */
    private volatile long run;

    private volatile boolean closed;
    private volatile @Nullable Thread waiting;
    private @Nullable Part body;

    private int parts;
    private boolean running;
    private boolean alone;
    private volatile @Nullable Throwable failure;

    public Workers(int threads) {
        if (threads < 1) throw new IllegalArgumentException(threads + " threads; use at least 1");
        this.threads = threads;
        spinNanos = threads <= Runtime.getRuntime().availableProcessors() ? SPIN_NANOS : 0;
        crew = new Worker[threads - 1];
        words = new long[PENDING + (threads + 2) * APART];
    }

    /** The most parts that run at the same time; worker numbers are less than this. */
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

    /** As above, with at most this number of workers, those with the lowest numbers. */
    void run(int parts, int workers, Part body) {
        if (parts <= 0) return;
        int least = Math.min(parts, Math.min(workers, threads));
        if (Thread.currentThread() instanceof Worker inside && inside.owner() == this) {
            int number = Math.min(inside.number, least - 1);
            for (int i = 0; i < parts; i++) body.run(i, number);
            return;
        }
        lock.lock();
        try {
            if (least == 1 || alone || running || closed) {
                for (int i = 0; i < parts; i++) body.run(i, 0);
            } else {
                share(parts, least, body);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs {@code body}; runs within it are executed by the calling thread alone. */
    void alone(Runnable body) {
        // within a part they are anyway, and the lock is held by the caller of the run
        if (Thread.currentThread() instanceof Worker inside && inside.owner() == this) {
            body.run();
            return;
        }
        lock.lock();
        boolean before = alone;
        alone = true;
        try {
            body.run();
        } finally {
            alone = before;
            lock.unlock();
        }
    }

    private void share(int parts, int workers, Part body) {
        if (crew[0] == null) start();
        this.body = body;
        this.parts = parts;
        failure = null;
        running = true;
        WORD.setRelease(words, PENDING, (long) parts);
        long generation = (run >>> 32) + 1;
        for (int i = 0; i < workers; i++) {
            int length = end(i, parts, workers) - end(i - 1, parts, workers);
            WORD.setRelease(words, place(i), generation << 32 | length);
        }
        run = generation << 32 | workers;
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

    /** The end of the range of worker {@code i}. */
    private static int end(int i, int parts, int workers) {
        return (int) ((long) parts * (i + 1) / workers);
    }

    private static int place(int worker) {
        return PENDING + (worker + 1) * APART;
    }

    /** Claims and runs parts, first of its own range, until none is left; returns the run. */
    private long work(int worker) {
        long current = run;
        int workers = (int) current;
        long done = 0;
        for (int i = 0; i < workers && worker < workers; i++) {
            int owner = worker + i < workers ? worker + i : worker + i - workers;
            int left;
            while ((left = claim(owner, current >>> 32)) > 0) {
                // this run cannot end before the claimed part is done, so body and parts are its
                // own
                part(end(owner, parts, workers) - left, worker);
                done++;
            }
        }
        if (done > 0 && (long) WORD.getAndAdd(words, PENDING, -done) == done && worker > 0)
            LockSupport.unpark(waiting);
        return current;
    }

    /**
     * Claims the next part of a range; returns its distance from the end, or zero if none is left.
     */
    private int claim(int owner, long generation) {
        while (true) {
            long word = (long) WORD.getVolatile(words, place(owner));
            if (word >>> 32 != generation || (int) word == 0) return 0;
            if (WORD.compareAndSet(words, place(owner), word, word - 1)) return (int) word;
        }
    }

    private void part(int part, int worker) {
        var claimed = body;
        try {
            if (failure == null && claimed != null) claimed.run(part, worker);
        } catch (Throwable e) {
            failure = e;
        }
    }

    private boolean isPending() {
        return (long) WORD.getVolatile(words, PENDING) > 0;
    }

    private void await() {
        long end = System.nanoTime() + spinNanos;
        while (isPending()) {
            if (System.nanoTime() < end) {
                Thread.onSpinWait();
                continue;
            }
            waiting = Thread.currentThread();
            if (isPending()) LockSupport.park(this);
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

    /** Ends the workers. Later runs are executed by their caller alone. */
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

        Workers owner() {
            return Workers.this;
        }

        @Override
        public void run() {
            while (!closed) idle(work(number));
        }

        private boolean hasNothing(long known) {
            long current = run;
            return current == known || number >= (int) current;
        }

        /** Waits for a run other than {@code known}. */
        private void idle(long known) {
            long end = System.nanoTime() + spinNanos;
            while (hasNothing(known) && !closed) {
                if (System.nanoTime() < end) {
                    Thread.onSpinWait();
                    continue;
                }
                parked = true;
                if (hasNothing(known) && !closed) LockSupport.park(Workers.this);
                parked = false;
            }
        }
    }
}
