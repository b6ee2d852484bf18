package dev.ebb.ir;

/**
 * Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw ("Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011): a draw is a function of its key and its number, so it can
 * be repeated at any time in any order.
 */
public final class Philox {
    private static final int M0 = 0xD2511F53;
    private static final int M1 = 0xCD9E8D57;
    private static final int W0 = 0x9E3779B9;
    private static final int W1 = 0xBB67AE85;

    private Philox() {}

    /** Word {@code counter mod 4} of block {@code counter / 4} under {@code key}. */
    public static int draw(long key, long counter) {
        long block = counter >>> 2;
        return word(key, block, (int) counter & 3);
    }

    private static int word(long key, long block, int which) {
        int c0 = (int) block;
        int c1 = (int) (block >>> 32);
        int c2 = 0;
        int c3 = 0;
        int k0 = (int) key;
        int k1 = (int) (key >>> 32);
        for (int round = 0; round < 10; round++) {
            long p0 = (M0 & 0xffffffffL) * (c0 & 0xffffffffL);
            long p1 = (M1 & 0xffffffffL) * (c2 & 0xffffffffL);
            int n0 = (int) (p1 >>> 32) ^ c1 ^ k0;
            int n2 = (int) (p0 >>> 32) ^ c3 ^ k1;
            c1 = (int) p1;
            c3 = (int) p0;
            c0 = n0;
            c2 = n2;
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

    /**
     * All four words of one block, from a full 128-bit counter: what the published test vectors
     * state.
     */
    public static int[] block(int[] counter, int[] key) {
        int[] c = counter.clone();
        int k0 = key[0];
        int k1 = key[1];
        for (int round = 0; round < 10; round++) {
            long p0 = (M0 & 0xffffffffL) * (c[0] & 0xffffffffL);
            long p1 = (M1 & 0xffffffffL) * (c[2] & 0xffffffffL);
            c =
                    new int[] {
                        (int) (p1 >>> 32) ^ c[1] ^ k0,
                        (int) p1,
                        (int) (p0 >>> 32) ^ c[3] ^ k1,
                        (int) p0
                    };
            k0 += W0;
            k1 += W1;
        }
        return c;
    }
}
