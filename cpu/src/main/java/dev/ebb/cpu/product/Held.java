package dev.ebb.cpu.product;

/**
 * Which part of a factor each worker has packed last in this run of a kernel. Between runs other
 * kernels use the same memory.
 */
final class Held {
    /** Longs of two workers that share no cache line, nor a pair that is fetched together. */
    private static final int APART = 16;

    private final long[] parts;
    private long run;

    Held(int workers) {
        parts = new long[(workers + 2) * APART];
    }

    /** Before a run: nobody holds anything. */
    void forget() {
        run++;
    }

    /** Takes note that {@code worker} has {@code part} from now on; whether it had another. */
    boolean isNew(int worker, int part) {
        int at = (worker + 1) * APART;
        long key = run << 32 | part;
        if (parts[at] == key) return false;
        parts[at] = key;
        return true;
    }
}
