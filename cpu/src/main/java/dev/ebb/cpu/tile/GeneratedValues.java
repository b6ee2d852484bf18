package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.math.Philox;

import java.util.Arrays;

/** Steps without operands in memory: constants, indices, positions and random bits. */
final class GeneratedValues {
    private static final int M0 = 0xD2511F53;
    private static final int M1 = 0xCD9E8D57;
    private static final int W0 = 0x9E3779B9;
    private static final int W1 = 0xBB67AE85;

    private GeneratedValues() {}

    /** Writes {@code value} to every element. */
    static TileStep constant(DType type, double value, int o) {
        return switch (type) {
            case F32 -> (t, _, n) -> Arrays.fill(t.f32, o, o + n, (float) value);
            case F64 -> (t, _, n) -> Arrays.fill(t.f64, o, o + n, value);
            case I32 -> (t, _, n) -> Arrays.fill(t.i32, o, o + n, (int) (long) value);
            case I64 -> (t, _, n) -> Arrays.fill(t.i64, o, o + n, (long) value);
            case BOOL -> (t, _, n) -> Arrays.fill(t.i32, o, o + n, value != 0 ? 1 : 0);
            case BF16, F16, U8, BIT ->
                    throw new IllegalArgumentException(
                            "a constant of " + type + "; use " + type.compute());
        };
    }

    /** Row-major positions. */
    static TileStep position(int o) {
        return (t, p, n) -> {
            for (int i = 0; i < n; i++) t.i64[o + i] = p + i;
        };
    }

    /** Indices along {@code axis} of {@code shape}. */
    static TileStep index(Shape shape, int axis, int o) {
        long inner = 1;
        for (int d = axis + 1; d < shape.rank(); d++) inner *= shape.dim(d);
        long stay = inner;
        int size = shape.dim(axis);
        if (stay == 1) return (t, p, n) -> lastIndex(t.i32, o, n, (int) (p % size), size);
        return (t, p, n) -> index(t.i32, o, n, p % stay, stay, (int) (p / stay % size), size);
    }

    private static void lastIndex(int[] r, int o, int n, int first, int size) {
        int index = first;
        for (int i = 0; i < n; ) {
            int run = Math.min(size - index, n - i);
            for (int j = 0; j < run; j++) r[o + i + j] = index + j;
            i += run;
            index = 0;
        }
    }

    private static void index(int[] r, int o, int n, long within, long stay, int first, int size) {
        int index = first;
        long left = stay - within;
        for (int i = 0; i < n; ) {
            int run = (int) Math.min(left, n - i);
            Arrays.fill(r, o + i, o + i + run, index);
            i += run;
            left = stay;
            if (++index == size) index = 0;
        }
    }

    /**
     * {@link Philox#draw} of keys and counters; four consecutive counters of a block are drawn
     * together.
     */
    static TileStep draw(int keys, int counters, int o) {
        return (t, _, n) -> draw(t.i64, keys, counters, t.i32, o, n);
    }

    private static void draw(long[] r, int keys, int counters, int[] out, int o, int n) {
        for (int i = 0; i < n; ) {
            if (i + 4 <= n && isBlock(r, keys + i, counters + i)) {
                block(r[keys + i], r[counters + i] >>> 2, out, o + i);
                i += 4;
            } else {
                out[o + i] = Philox.draw(r[keys + i], r[counters + i]);
                i++;
            }
        }
    }

    private static boolean isBlock(long[] r, int key, int counter) {
        long c = r[counter];
        long k = r[key];
        return (c & 3) == 0
                && r[counter + 1] == c + 1
                && r[counter + 2] == c + 2
                && r[counter + 3] == c + 3
                && r[key + 1] == k
                && r[key + 2] == k
                && r[key + 3] == k;
    }

    /** All four words of one block, by the rounds of {@link Philox}. */
    private static void block(long key, long counter, int[] out, int o) {
        int c0 = (int) counter;
        int c1 = (int) (counter >>> 32);
        int c2 = 0;
        int c3 = 0;
        int k0 = (int) key;
        int k1 = (int) (key >>> 32);
        for (int round = 0; round < 10; round++) {
            long p0 = (M0 & 0xffffffffL) * (c0 & 0xffffffffL);
            long p1 = (M1 & 0xffffffffL) * (c2 & 0xffffffffL);
            c0 = (int) (p1 >>> 32) ^ c1 ^ k0;
            c2 = (int) (p0 >>> 32) ^ c3 ^ k1;
            c1 = (int) p1;
            c3 = (int) p0;
            k0 += W0;
            k1 += W1;
        }
        out[o] = c0;
        out[o + 1] = c1;
        out[o + 2] = c2;
        out[o + 3] = c3;
    }
}
