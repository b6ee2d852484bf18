package dev.ebb.plan;

/**
 * Numbers that look random and are the same on every machine (SplitMix64), for searches that need
 * variety.
 */
final class Dice {
    private long state;

    Dice(long seed) {
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
    double next() {
        return (bits() >>> 11) * 0x1p-53;
    }

    /** Uniform in [0, bound). */
    int below(int bound) {
        return (int) (next() * bound);
    }
}
