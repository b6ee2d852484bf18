package dev.ebb.cpu.product;

/**
 * Records for each worker which part of a factor it packed last in this run of a kernel. Other
 * kernels overwrite the packed parts between runs.
 */
final class LastPacked {
    /**
     * The distance, in longs, between the entries of two workers: different cache lines, and not a
     * pair of lines that is prefetched together.
     */
    private static final int APART = 16;

    private final long[] parts;
    private long run;

    LastPacked(int workers) {
        parts = new long[(workers + 2) * APART];
    }

    /** Forgets all parts, before a run. */
    void forget() {
        run++;
    }

    /**
     * Records that {@code worker} is about to pack {@code part}; returns whether it did not have
     * that part already.
     */
    boolean isNew(int worker, int part) {
        int at = (worker + 1) * APART;
        long key = run << 32 | part;
        if (parts[at] == key) return false;
        parts[at] = key;
        return true;
    }
}
