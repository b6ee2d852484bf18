package dev.ebb.science;

import dev.ebb.ir.Buffer;

/**
 * Eigenvalues of a real matrix by Francis's double-shift QR algorithm: reflections bring it to
 * Hessenberg form, then steps with two shifts at a time, which stay real, until blocks of one or
 * two rows split off at its end (Golub and Van Loan, "Matrix computations", 7.4 and 7.5).
 *
 * @param workspace the matrix, then the real parts, then the imaginary parts of the eigenvalues
 */
record HessenbergQr(int n, Buffer workspace) {
    private static final double EPSILON = 0x1p-52;
    private static final int MOST_STEPS = 60;

    private double get(int i, int j) {
        return workspace.get((long) i * n + j);
    }

    private void set(int i, int j, double x) {
        workspace.set((long) i * n + j, x);
    }

    void run(int number, Buffer a) {
        for (long i = 0; i < (long) n * n; i++) {
            double x = a.get((long) number * n * n + i);
            if (!Double.isFinite(x)) {
                throw new ArithmeticException(
                        "eigenvalues: matrix %s of the batch has %s; find where it comes from"
                                .formatted(number, x));
            }
            workspace.set(i, x);
        }
        for (int k = 0; k < n - 2; k++) hessenberg(k);
        int last = n - 1;
        for (int step = 0; last >= 0; ) {
            int first = first(last);
            if (first >= last - 1) {
                if (first == last) put(last, get(last, last), 0);
                else pair(last);
                last = first - 1;
                step = 0;
            } else if (step++ < MOST_STEPS) {
                francis(first, last, step % 10 == 0);
            } else {
                throw new ArithmeticException(
                        ("eigenvalues: matrix %s of the batch did not converge in %s steps; scale"
                                        + " it so that its elements are near one")
                                .formatted(number, MOST_STEPS));
            }
        }
        sort();
    }

    /** Zeros below the subdiagonal in column {@code k}. */
    private void hessenberg(int k) {
        double norm = 0;
        for (int i = k + 1; i < n; i++) norm = Math.hypot(norm, get(i, k));
        if (norm == 0) return;
        double top = get(k + 1, k);
        double beta = top > 0 ? -norm : norm;
        double scale = 1 / (beta * (beta - top));
        // the vector lies in column k, its first element apart; 2 / |v|^2 is the scale
        set(k + 1, k, top - beta);
        for (int j = k + 1; j < n; j++) {
            double sum = 0;
            for (int i = k + 1; i < n; i++) sum += get(i, k) * get(i, j);
            for (int i = k + 1; i < n; i++) set(i, j, get(i, j) - scale * sum * get(i, k));
        }
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = k + 1; j < n; j++) sum += get(i, j) * get(j, k);
            for (int j = k + 1; j < n; j++) set(i, j, get(i, j) - scale * sum * get(j, k));
        }
        set(k + 1, k, beta);
        for (int i = k + 2; i < n; i++) set(i, k, 0);
    }

    /** Where the block that ends at {@code last} begins. */
    private int first(int last) {
        for (int i = last; i > 0; i--) {
            double size = Math.abs(get(i - 1, i - 1)) + Math.abs(get(i, i));
            if (Math.abs(get(i, i - 1)) <= EPSILON * size || get(i, i - 1) == 0) {
                set(i, i - 1, 0);
                return i;
            }
        }
        return 0;
    }

    private void put(int i, double re, double im) {
        workspace.set((long) n * n + i, re);
        workspace.set((long) n * n + n + i, im);
    }

    /** The two eigenvalues of the block of rows {@code last - 1} and {@code last}. */
    private void pair(int last) {
        double d = get(last, last);
        double half = (get(last - 1, last - 1) - d) / 2;
        double product = get(last - 1, last) * get(last, last - 1);
        double square = half * half + product;
        if (square < 0) {
            double im = Math.sqrt(-square);
            put(last - 1, d + half, -im);
            put(last, d + half, im);
        } else {
            double far = half + Math.copySign(Math.sqrt(square), half);
            put(last - 1, d + far, 0);
            put(last, far == 0 ? d : d - product / far, 0);
        }
    }

    /** One double step on a block; with shifts of no meaning, if it has not helped for long. */
    private void francis(int first, int last, boolean stuck) {
        double sum = get(last - 1, last - 1) + get(last, last);
        double product =
                get(last - 1, last - 1) * get(last, last)
                        - get(last - 1, last) * get(last, last - 1);
        if (stuck) {
            double size = Math.abs(get(last, last - 1)) + Math.abs(get(last - 1, last - 2));
            sum = 1.5 * size;
            product = size * size;
        }
        double h = get(first, first);
        double x = h * h + get(first, first + 1) * get(first + 1, first) - sum * h + product;
        double y = get(first + 1, first) * (h + get(first + 1, first + 1) - sum);
        double z = get(first + 1, first) * get(first + 2, first + 1);
        for (int k = first; k < last; k++) {
            int rows = Math.min(3, last - k + 1);
            reflect(first, last, k, rows, x, y, rows == 3 ? z : 0);
            x = get(k + 1, k);
            y = k + 2 <= last ? get(k + 2, k) : 0;
            z = k + 3 <= last ? get(k + 3, k) : 0;
        }
    }

    /** A reflection that makes (x, y, z) a multiple of (1, 0, 0), from both sides. */
    private void reflect(int first, int last, int k, int rows, double x, double y, double z) {
        double largest = Math.max(Math.abs(x), Math.max(Math.abs(y), Math.abs(z)));
        if (largest == 0) return;
        double u = x / largest;
        double v = y / largest;
        double w = z / largest;
        double norm = Math.sqrt(u * u + v * v + w * w);
        double beta = u > 0 ? -norm : norm;
        double scale = 1 / (beta * (beta - u));
        u -= beta;
        for (int j = Math.max(first, k - 1); j <= last; j++) {
            double third = rows == 3 ? get(k + 2, j) : 0;
            double sum = scale * (u * get(k, j) + v * get(k + 1, j) + w * third);
            set(k, j, get(k, j) - sum * u);
            set(k + 1, j, get(k + 1, j) - sum * v);
            if (rows == 3) set(k + 2, j, third - sum * w);
        }
        for (int i = first; i <= Math.min(k + 3, last); i++) {
            double third = rows == 3 ? get(i, k + 2) : 0;
            double sum = scale * (u * get(i, k) + v * get(i, k + 1) + w * third);
            set(i, k, get(i, k) - sum * u);
            set(i, k + 1, get(i, k + 1) - sum * v);
            if (rows == 3) set(i, k + 2, third - sum * w);
        }
    }

    private void sort() {
        long re = (long) n * n;
        long im = re + n;
        for (int i = 1; i < n; i++) {
            double x = workspace.get(re + i);
            double y = workspace.get(im + i);
            int j = i;
            for (;
                    j > 0 && isBefore(x, y, workspace.get(re + j - 1), workspace.get(im + j - 1));
                    j--) {
                put(j, workspace.get(re + j - 1), workspace.get(im + j - 1));
            }
            put(j, x, y);
        }
    }

    private static boolean isBefore(double x, double y, double otherX, double otherY) {
        return x < otherX || (x == otherX && y < otherY);
    }
}
