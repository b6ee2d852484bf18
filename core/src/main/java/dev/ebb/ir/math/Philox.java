package dev.ebb.ir.math;

/**
 * Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw ("Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011): a draw is a function of its key and its number, so it can
 * be repeated at any time in any order.
 */
public final class Philox {
    private static final long M0 = 0xD2511F53L;
    private static final long M1 = 0xCD9E8D57L;
    private static final int W0 = 0x9E3779B9;
    private static final int W1 = 0xBB67AE85;
    private static final long LOW = 0xffffffffL;

    private Philox() {}

    /** Word {@code counter mod 4} of block {@code counter / 4} under {@code key}. */
    public static int draw(long key, long counter) {
        return word(counter >>> 2, 0, key, (int) counter & 3);
    }

    /**
     * Draws {@code first}, {@code first + 1} and so on, as many as {@code draws} holds, in a
     * quarter of the time of one after the other: a block of four is computed once.
     */
    public static void draws(long key, long first, int[] draws) {
        for (long block = first >>> 2; 4 * block - first < draws.length; block++) {
            int c0 = (int) block;
            int c1 = (int) (block >>> 32);
            int c2 = 0;
            int c3 = 0;
            int k0 = (int) key;
            int k1 = (int) (key >>> 32);
            for (int round = 0; round < 10; round++) {
                long p0 = M0 * (c0 & LOW);
                long p1 = M1 * (c2 & LOW);
                c0 = (int) (p1 >>> 32) ^ c1 ^ k0;
                c1 = (int) p1;
                c2 = (int) (p0 >>> 32) ^ c3 ^ k1;
                c3 = (int) p0;
                k0 += W0;
                k1 += W1;
            }
            int at = (int) (4 * block - first);
            if (at >= 0) draws[at] = c0;
            if (at + 1 >= 0 && at + 1 < draws.length) draws[at + 1] = c1;
            if (at + 2 >= 0 && at + 2 < draws.length) draws[at + 2] = c2;
            if (at + 3 < draws.length) draws[at + 3] = c3;
        }
    }

    /**
     * All four words of one block, from a full 128-bit counter and a 64-bit key, low words first:
     * what the published test vectors state.
     */
    public static int[] block(int[] counter, int[] key) {
        long low = (counter[0] & LOW) | (long) counter[1] << 32;
        long high = (counter[2] & LOW) | (long) counter[3] << 32;
        long both = (key[0] & LOW) | (long) key[1] << 32;
        int[] words = new int[4];
        for (int i = 0; i < 4; i++) words[i] = word(low, high, both, i);
        return words;
    }

    private static int word(long low, long high, long key, int which) {
        int c0 = (int) low;
        int c1 = (int) (low >>> 32);
        int c2 = (int) high;
        int c3 = (int) (high >>> 32);
        int k0 = (int) key;
        int k1 = (int) (key >>> 32);
        for (int round = 0; round < 10; round++) {
            long p0 = M0 * (c0 & LOW);
            long p1 = M1 * (c2 & LOW);
            c0 = (int) (p1 >>> 32) ^ c1 ^ k0;
            c1 = (int) p1;
            c2 = (int) (p0 >>> 32) ^ c3 ^ k1;
            c3 = (int) p0;
            k0 += W0;
            k1 += W1;
        }
        return switch (which) {
            case 0 -> c0;
            case 1 -> c1;
            case 2 -> c2;
            default -> c3;
        };
    }
}
