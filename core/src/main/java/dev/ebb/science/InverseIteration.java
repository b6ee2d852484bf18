package dev.ebb.science;

import dev.ebb.ir.Buffer;

import java.util.List;

/**
 * Eigenvectors of a real matrix from its eigenvalues: the matrix, shifted to within rounding of
 * being singular, is factored with partial pivoting, and two solves leave the eigenvector alone.
 * Numbers are complex, real and imaginary parts alternating.
 *
 * @param workspace the shifted matrix and its factors (2 n^2), the vector (2 n), a copy of it (2
 *     n), and the order of the rows (n)
 */
record InverseIteration(int n, Buffer workspace) {
    private static final double EPSILON = 0x1p-52;
    private static final int SOLVES = 2;

    static long doubles(int n) {
        return 2L * n * n + 5L * n;
    }

    private long at(int i, int j) {
        return 2 * ((long) i * n + j);
    }

    private long vector(int i) {
        return 2L * n * n + 2L * i;
    }

    private long copy(int i) {
        return 2L * n * n + 2L * n + 2L * i;
    }

    private long order(int i) {
        return 2L * n * n + 4L * n + i;
    }

    void run(int number, List<Buffer> in, List<Buffer> out) {
        long whole = (long) number * n * n;
        double norm = 0;
        for (long i = 0; i < (long) n * n; i++) {
            norm = Math.max(norm, Math.abs(in.getFirst().get(whole + i)));
        }
        double small = EPSILON * (norm == 0 ? 1 : norm);
        for (int k = 0; k < n; k++) {
            double re = in.get(1).get((long) number * n + k);
            double im = in.get(2).get((long) number * n + k);
            fill(in.getFirst(), whole, re + small, im);
            factor(small);
            for (int i = 0; i < n; i++) {
                workspace.set(vector(i), 1 + i * 1e-3);
                workspace.set(vector(i) + 1, im == 0 ? 0 : 1e-2 * (i % 3));
            }
            for (int iteration = 0; iteration < SOLVES; iteration++) {
                // the first iteration omits the forward half: it may begin with any right-hand side
                if (iteration > 0) forward();
                backward();
                normalise();
            }
            for (int i = 0; i < n; i++) {
                out.get(0).set(whole + (long) i * n + k, workspace.get(vector(i)));
                out.get(1).set(whole + (long) i * n + k, workspace.get(vector(i) + 1));
            }
        }
    }

    private void fill(Buffer a, long whole, double re, double im) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double x = a.get(whole + (long) i * n + j);
                workspace.set(at(i, j), i == j ? x - re : x);
                workspace.set(at(i, j) + 1, i == j ? -im : 0);
            }
        }
    }

    private void factor(double small) {
        for (int i = 0; i < n; i++) workspace.set(order(i), i);
        for (int k = 0; k < n; k++) {
            int pivot = k;
            for (int i = k + 1; i < n; i++) if (size(at(i, k)) > size(at(pivot, k))) pivot = i;
            if (pivot != k) exchange(k, pivot);
            if (size(at(k, k)) < small * small) {
                workspace.set(at(k, k), small);
                workspace.set(at(k, k) + 1, 0);
            }
            for (int i = k + 1; i < n; i++) {
                divide(at(i, k), at(k, k));
                for (int j = k + 1; j < n; j++) subtract(at(i, j), at(i, k), at(k, j));
            }
        }
    }

    private void exchange(int i, int j) {
        for (int k = 0; k < n; k++) {
            swap(at(i, k), at(j, k));
            swap(at(i, k) + 1, at(j, k) + 1);
        }
        swap(order(i), order(j));
    }

    /** {@code L y = x}, x in the order of the rows. */
    private void forward() {
        for (int i = 0; i < n; i++) {
            workspace.set(copy(i), workspace.get(vector(i)));
            workspace.set(copy(i) + 1, workspace.get(vector(i) + 1));
        }
        for (int i = 0; i < n; i++) {
            int from = (int) workspace.get(order(i));
            workspace.set(vector(i), workspace.get(copy(from)));
            workspace.set(vector(i) + 1, workspace.get(copy(from) + 1));
            for (int j = 0; j < i; j++) subtract(vector(i), at(i, j), vector(j));
        }
    }

    /** {@code U x = y}. */
    private void backward() {
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) subtract(vector(i), at(i, j), vector(j));
            divide(vector(i), at(i, i));
        }
    }

    /** Length one, and the largest element real and positive. */
    private void normalise() {
        double largest = 0;
        for (int i = 0; i < n; i++) largest = Math.max(largest, size(vector(i)));
        if (largest == 0 || !Double.isFinite(largest)) return;
        double scale = Math.sqrt(largest);
        double sum = 0;
        int most = 0;
        for (int i = 0; i < n; i++) {
            workspace.set(vector(i), workspace.get(vector(i)) / scale);
            workspace.set(vector(i) + 1, workspace.get(vector(i) + 1) / scale);
            sum += size(vector(i));
            if (size(vector(i)) > size(vector(most)) * (1 + 1e-9)) most = i;
        }
        double c = workspace.get(vector(most));
        double s = workspace.get(vector(most) + 1);
        double factor = 1 / (Math.sqrt(sum) * Math.hypot(c, s));
        for (int i = 0; i < n; i++) {
            double re = workspace.get(vector(i));
            double im = workspace.get(vector(i) + 1);
            workspace.set(vector(i), (re * c + im * s) * factor);
            workspace.set(vector(i) + 1, (im * c - re * s) * factor);
        }
    }

    private double size(long i) {
        return workspace.get(i) * workspace.get(i) + workspace.get(i + 1) * workspace.get(i + 1);
    }

    private void swap(long i, long j) {
        double x = workspace.get(i);
        workspace.set(i, workspace.get(j));
        workspace.set(j, x);
    }

    private void divide(long x, long y) {
        double c = workspace.get(y);
        double s = workspace.get(y + 1);
        double size = c * c + s * s;
        double re = workspace.get(x);
        double im = workspace.get(x + 1);
        workspace.set(x, (re * c + im * s) / size);
        workspace.set(x + 1, (im * c - re * s) / size);
    }

    /** {@code x -= y z}. */
    private void subtract(long x, long y, long z) {
        double a = workspace.get(y);
        double b = workspace.get(y + 1);
        double c = workspace.get(z);
        double d = workspace.get(z + 1);
        workspace.set(x, workspace.get(x) - (a * c - b * d));
        workspace.set(x + 1, workspace.get(x + 1) - (a * d + b * c));
    }
}
