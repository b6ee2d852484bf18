package dev.ebb.science;

import java.util.BitSet;

/**
 * The direction numbers of {@link Sobol}, computed: coordinate 0 is the index written backwards;
 * the others take the primitive polynomials in order, and the first numbers in a fixed order of
 * trials that give property A.
 */
final class SobolDirections {
    static final SobolDirections KNOWN = new SobolDirections(Sobol.MOST);

    private static final int BITS = 32;

    /** For each coordinate its direction numbers; number k has k + 1 leading bits of 32. */
    private final long[][] directions;

    /** Leading bits of the coordinates so far, reduced so that row d begins at column d. */
    private final BitSet[] reduced;

    private SobolDirections(int dimension) {
        directions = new long[dimension][];
        reduced = new BitSet[dimension];
        var first = new long[BITS];
        for (int k = 0; k < BITS; k++) first[k] = 1L << (BITS - 1 - k);
        accept(0, first);
        long polynomial = 2;
        for (int d = 1; d < dimension; d++) {
            do polynomial++;
            while (!isPrimitive(polynomial));
            for (int trial = 0; !accept(d, numbers(polynomial, d, trial)); trial++) {}
        }
    }

    /** Bit {@code bit} of a point's index flips these bits of coordinate {@code d}, of 32. */
    long of(int d, int bit) {
        return directions[d][bit];
    }

    /** Whether x generates all 2^degree - 1 units modulo the polynomial, whose bits these are. */
    static boolean isPrimitive(long polynomial) {
        int degree = 63 - Long.numberOfLeadingZeros(polynomial);
        long order = (1L << degree) - 1;
        long power = 1;
        for (long k = 1; k <= order; k++) {
            power <<= 1;
            if (power >> degree != 0) power ^= polynomial;
            if (power == 0) return false;
            if (power == 1) return k == order;
        }
        return false;
    }

    private static long[] numbers(long polynomial, int d, int trial) {
        int degree = 63 - Long.numberOfLeadingZeros(polynomial);
        var m = new long[BITS];
        for (int k = 0; k < degree; k++) {
            // any odd number below 2^(k + 1)
            long mixed = (d * 0x9e3779b97f4a7c15L + trial * 0xbf58476d1ce4e5b9L) ^ (k + 1L) << 40;
            mixed = (mixed ^ mixed >>> 29) * 0x94d049bb133111ebL;
            m[k] = (mixed >>> 20 | 1) & ((2L << k) - 1);
        }
        for (int k = degree; k < BITS; k++) {
            m[k] = m[k - degree] ^ m[k - degree] << degree;
            for (int i = 1; i < degree; i++)
                if ((polynomial >> (degree - i) & 1) != 0) m[k] ^= m[k - i] << i;
        }
        for (int k = 0; k < BITS; k++) m[k] <<= BITS - 1 - k;
        return m;
    }

    /** Accepts these numbers if the first 2^(d + 1) points then have one in each orthant. */
    private boolean accept(int d, long[] numbers) {
        var row = new BitSet();
        for (int k = 0; k < BITS; k++) if (numbers[k] >> (BITS - 1) != 0) row.set(k);
        for (int r = 0; r < Math.min(d, BITS); r++) if (row.get(r)) row.xor(reduced[r]);
        // beyond the bits that there are, 2^d points are never drawn
        if (d < BITS && !row.get(d)) return false;
        reduced[d] = row;
        directions[d] = numbers;
        return true;
    }
}
