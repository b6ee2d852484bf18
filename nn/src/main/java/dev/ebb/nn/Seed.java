package dev.ebb.nn;

import dev.ebb.ir.math.Philox;

/**
 * A source of randomness: a key for a counter-based generator. Every use derives its own key by
 * {@link #of}, so that adding a layer does not change the draws of the others.
 */
public record Seed(long key) {

    /** The key for the part of a model with this name. */
    public Seed of(String part) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < part.length(); i++) hash = (hash ^ part.charAt(i)) * 0x100000001b3L;
        return new Seed(mixed(key, hash));
    }

    /** The key for the part of a model with this number. */
    public Seed of(long part) {
        return new Seed(mixed(key + 0x9e3779b97f4a7c15L, part));
    }

    private static long mixed(long key, long part) {
        int[] counter = {(int) part, (int) (part >>> 32), 1, 0};
        int[] words = Philox.block(counter, new int[] {(int) key, (int) (key >>> 32)});
        return (words[0] & 0xffffffffL) | ((long) words[1] << 32);
    }

    /** Draw number {@code i}: 32 random bits. */
    public int bits(long i) {
        return Philox.draw(key, i);
    }

    /** Draws {@code first}, {@code first + 1} and so on, as many as {@code draws} holds. */
    void fillBits(long first, int[] draws) {
        Philox.draws(key, first, draws);
    }

    /** Draw number {@code i}, uniform in (0, 1). */
    public double uniform(long i) {
        return uniformOf(bits(i));
    }

    /** The number in (0, 1) that a draw stands for. */
    static double uniformOf(int bits) {
        return ((bits & 0xffffffffL) + 0.5) / 0x1p32;
    }

    /** Draw number {@code i}: an integer in {@code [0, bound)}. */
    public long below(long bound, long i) {
        long high = bits(2 * i) & 0xffffffffL;
        long word = (high << 31) ^ (bits(2 * i + 1) & 0x7fffffffL);
        return Long.remainderUnsigned(word, bound);
    }

    /** Draw number {@code i}, normal with mean 0 and variance 1, by Box and Muller. */
    public double normal(long i) {
        return normalOf(bits(2 * i), bits(2 * i + 1));
    }

    /** The normal number that two draws stand for. */
    static double normalOf(int radiusBits, int angleBits) {
        double radius = StrictMath.sqrt(-2 * StrictMath.log(uniformOf(radiusBits)));
        return radius * StrictMath.cos(2 * Math.PI * uniformOf(angleBits));
    }
}
