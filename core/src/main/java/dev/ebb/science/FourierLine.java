package dev.ebb.science;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.math.Waves;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The Fourier transform of one line, in place in a workspace of doubles. Lengths that are powers of
 * two by Cooley and Tukey's method; any other as a convolution of such a length (Bluestein, "A
 * linear filtering approach to the computation of the discrete Fourier transform", 1970).
 *
 * <p>The workspace: the line (2 m), the roots of unity (m) and, for a convolution, the chirp (2 n)
 * and its transform (2 m); real and imaginary parts alternate.
 *
 * @param sign of the exponent
 */
record FourierLine(int n, double sign, MemorySegment workspace) {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    /** The number of doubles of workspace for a line of this length. */
    static long doubles(int n) {
        long m = size(n);
        return m == n ? 3 * m : 5 * m + 2L * n;
    }

    private static int size(int n) {
        if (Integer.bitCount(n) == 1) return n;
        if (n > 1 << 28) throw new IllegalArgumentException("a transform of length " + n);
        return Integer.highestOneBit(2 * n - 1) * 2;
    }

    private int size() {
        return size(n);
    }

    private double get(long i) {
        return workspace.getAtIndex(DOUBLE, i);
    }

    private void set(long i, double x) {
        workspace.setAtIndex(DOUBLE, i, x);
    }

    /**
     * Computes the parts of the workspace that all lines share: roots of unity, and the transform
     * of the chirp.
     */
    void prepare() {
        int m = size();
        long roots = 2L * m;
        for (int k = 0; k < m / 2; k++) {
            double angle = 2 * Math.PI * k / m;
            set(roots + 2L * k, Waves.cos(angle));
            set(roots + 2L * k + 1, -Waves.sin(angle));
        }
        if (m == n) return;
        long chirp = 3L * m;
        long filter = chirp + 2L * n;
        for (long k = 0; k < n; k++) {
            double angle = Math.PI * (k * k % (2L * n)) / n;
            set(chirp + 2 * k, Waves.cos(angle));
            set(chirp + 2 * k + 1, sign * Waves.sin(angle));
        }
        for (long i = 0; i < 2L * m; i++) set(i, 0);
        for (long k = 0; k < n; k++) {
            for (long place : new long[] {k, (m - k) % m}) {
                set(2 * place, get(chirp + 2 * k));
                set(2 * place + 1, -get(chirp + 2 * k + 1));
            }
        }
        powerOfTwo(m);
        for (long i = 0; i < 2L * m; i++) set(filter + i, get(i));
    }

    /** Transforms the {@code n} elements from {@code first} on. */
    void run(long first, List<Buffer> in, List<Buffer> out) {
        if (size() == n) {
            // the other direction is this one between two conjugations
            for (int i = 0; i < n; i++) {
                set(2L * i, in.get(0).get(first + i));
                set(2L * i + 1, -sign * in.get(1).get(first + i));
            }
            powerOfTwo(n);
            for (int i = 0; i < n; i++) {
                out.get(0).set(first + i, get(2L * i));
                out.get(1).set(first + i, -sign * get(2L * i + 1));
            }
        } else {
            convolve(first, in, out);
        }
    }

    private void convolve(long first, List<Buffer> in, List<Buffer> out) {
        int m = size();
        long chirp = 3L * m;
        long filter = chirp + 2L * n;
        for (long i = 2L * n; i < 2L * m; i++) set(i, 0);
        for (int i = 0; i < n; i++) {
            put(i, in.get(0).get(first + i), in.get(1).get(first + i), chirp + 2L * i, 1);
        }
        powerOfTwo(m);
        // conjugated, so that the same transform goes back
        for (int i = 0; i < m; i++) put(i, get(2L * i), get(2L * i + 1), filter + 2L * i, -1);
        powerOfTwo(m);
        for (int i = 0; i < n; i++) {
            put(i, get(2L * i) / m, -get(2L * i + 1) / m, chirp + 2L * i, 1);
            out.get(0).set(first + i, get(2L * i));
            out.get(1).set(first + i, get(2L * i + 1));
        }
    }

    /** Element {@code i} becomes a number times that at {@code factor}; conjugated or not. */
    private void put(int i, double re, double im, long factor, double conjugate) {
        double c = get(factor);
        double s = get(factor + 1);
        set(2L * i, re * c - im * s);
        set(2L * i + 1, conjugate * (re * s + im * c));
    }

    /** The transform with a negative exponent of the first {@code m} elements. */
    private void powerOfTwo(int m) {
        for (int i = 1, j = 0; i < m; i++) {
            int bit = m >> 1;
            for (; (j & bit) != 0; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i < j) {
                swap(2L * i, 2L * j);
                swap(2L * i + 1, 2L * j + 1);
            }
        }
        for (int half = 1; half < m; half *= 2) {
            long stride = m / (2L * half);
            for (int block = 0; block < m; block += 2 * half) {
                for (int k = 0; k < half; k++) {
                    long root = 2L * m + 2L * k * stride;
                    double c = get(root);
                    double s = get(root + 1);
                    long a = 2L * (block + k);
                    long b = a + 2L * half;
                    double re = get(b) * c - get(b + 1) * s;
                    double im = get(b) * s + get(b + 1) * c;
                    set(b, get(a) - re);
                    set(b + 1, get(a + 1) - im);
                    set(a, get(a) + re);
                    set(a + 1, get(a + 1) + im);
                }
            }
        }
    }

    private void swap(long i, long j) {
        double x = get(i);
        set(i, get(j));
        set(j, x);
    }
}
