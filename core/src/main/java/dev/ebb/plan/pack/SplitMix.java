package dev.ebb.plan.pack;

/**
 * Pseudorandom numbers that are the same on every machine (SplitMix64), for randomised searches.
 */
public final class SplitMix {
    private long state;

    public SplitMix(long seed) {
        state = seed;
    }

    private long bits() {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** Uniform in [0, 1). */
    public double next() {
        return (bits() >>> 11) * 0x1p-53;
    }

    /** Uniform in [0, bound). */
    public int below(int bound) {
        return (int) (next() * bound);
    }
}
