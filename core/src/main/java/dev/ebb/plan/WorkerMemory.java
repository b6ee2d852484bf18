package dev.ebb.plan;

import java.util.function.IntToLongFunction;

/**
 * The memory that a device uses outside the arena to run one program, by number of workers, and how
 * a budget is divided between the workers and the arena.
 *
 * <p>The memory of one worker is always reserved. For further workers an eighth of the budget is
 * reserved, but no more than {@value #PLANNED} workers need. So the size of the arena depends only
 * on program and budget, not on the cores of the machine, and never shrinks when the budget grows.
 * At run time there are as many workers as threads, limited by the memory that the planned arena
 * leaves free. If the user chose the number of threads, the memory of that many workers is
 * reserved, up to half of the budget.
 *
 * @param bytes the memory of a number of workers in all; never less for more workers
 */
public record WorkerMemory(Threads threads, IntToLongFunction bytes) {
    /** A plan for any machine sets memory aside for at most this many workers. */
    private static final int PLANNED = 64;

    private static final long SHARE = 8;
    private static final long ASKED_SHARE = 2;

    /** For a device that uses no memory outside the arena. */
    public static final WorkerMemory NONE = new WorkerMemory(Threads.ONE, _ -> 0);

    /** The bytes of one worker, which every budget must hold outside the arena. */
    public long least() {
        return bytes.applyAsLong(1);
    }

    /** The bytes of a budget that are reserved for workers. */
    public long reserve(long budget) {
        long further = Math.min(bytes.applyAsLong(planned()), budget / share());
        return Math.max(least(), further);
    }

    /**
     * The bytes of a budget that remain for the arena; negative if not even one worker's memory
     * fits.
     */
    public long arenaLimit(long budget) {
        return budget - reserve(budget);
    }

    /** The least budget that leaves {@code arena} bytes to the arena. */
    public long budgetFor(long arena) {
        // b - b / s >= arena, in whole numbers, is b > s * (arena - 1) / (s - 1)
        long shared = arena == 0 ? 0 : share() * (arena - 1) / (share() - 1) + 1;
        long all = arena + bytes.applyAsLong(planned());
        return Math.max(arena + least(), Math.min(all, shared));
    }

    /**
     * The bytes of a budget that are reserved for workers if the program is not known yet and
     * {@link #bytes} covers any kernel: at most half of the budget.
     */
    public long reserveForAny(long budget) {
        return Math.min(reserve(budget), budget / 2);
    }

    /** The smallest budget in which {@code arena} bytes remain besides {@link #reserveForAny}. */
    public long budgetForAny(long arena) {
        // b - b / 2 >= arena, in whole numbers, is b >= 2 * arena - 1
        return Math.min(budgetFor(arena), Math.max(0, 2 * arena - 1));
    }

    /** The number of workers whose memory fits into {@code limit} bytes; 0 if not even one fits. */
    public int within(long limit) {
        if (bytes.applyAsLong(threads.count()) <= limit) return threads.count();
        int fits = 0;
        int tooMany = threads.count();
        while (tooMany - fits > 1) {
            int workers = fits + (tooMany - fits) / 2;
            if (bytes.applyAsLong(workers) > limit) tooMany = workers;
            else fits = workers;
        }
        return fits;
    }

    private int planned() {
        return threads.asked() ? threads.count() : PLANNED;
    }

    private long share() {
        return threads.asked() ? ASKED_SHARE : SHARE;
    }
}
