package dev.ebb.cpu.product;

/**
 * The part of a factor that each worker packed last in this run of a kernel. Between runs other
 * kernels use the same memory.
 */
final class Held {
    /**
     * The stride, in longs, at which two workers share no cache line, nor a pair that is prefetched
     * together.
     */
    private static final int APART = 16;

    private final long[] parts;
    private long run;

    Held(int workers) {
        parts = new long[(workers + 2) * APART];
    }

    /** Forgets all parts, before a run. */
    void forget() {
        run++;
    }

    /** Records that {@code worker} now has {@code part}; returns whether it had another. */
    boolean isNew(int worker, int part) {
        int at = (worker + 1) * APART;
        long key = run << 32 | part;
        if (parts[at] == key) return false;
        parts[at] = key;
        return true;
    }
}
