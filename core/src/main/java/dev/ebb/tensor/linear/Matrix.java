package dev.ebb.tensor.linear;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

/** One matrix of a batch, in place: rows and columns of a buffer from {@code offset} on. */
record Matrix(Buffer buffer, long offset, int rows, int columns) {

    /** Matrix {@code number} of a buffer that holds many of this size. */
    static Matrix of(Buffer buffer, int number, int rows, int columns) {
        return new Matrix(buffer, (long) number * rows * columns, rows, columns);
    }

    /** A matrix of doubles in a workspace, {@code doubles} elements from its start. */
    static Matrix in(Buffer workspace, long doubles, int rows, int columns) {
        var all = new Buffer(DType.F64, workspace.bytes() / 8, workspace.segment());
        return new Matrix(all, doubles, rows, columns);
    }

    double get(int i, int j) {
        return buffer.get(offset + (long) i * columns + j);
    }

    void set(int i, int j, double x) {
        buffer.set(offset + (long) i * columns + j, x);
    }

    void copy(Matrix from) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) set(i, j, from.get(i, j));
        }
    }

    /** Ones on the diagonal, zeros elsewhere. */
    void identity() {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) set(i, j, i == j ? 1 : 0);
        }
    }

    /** The inner product of two columns, from row {@code first} on. */
    double dot(int p, int q, int first) {
        double sum = 0;
        for (int i = first; i < rows; i++) sum += get(i, p) * get(i, q);
        return sum;
    }

    /** Columns p and q become {@code c p - s q} and {@code s p + c q}. */
    void rotate(int p, int q, double c, double s) {
        for (int i = 0; i < rows; i++) {
            double x = get(i, p);
            double y = get(i, q);
            set(i, p, c * x - s * y);
            set(i, q, s * x + c * y);
        }
    }

    /** The sign that makes the largest element of a column positive. */
    double sign(int column) {
        double largest = 0;
        for (int i = 0; i < rows; i++) {
            if (Math.abs(get(i, column)) > Math.abs(largest)) largest = get(i, column);
        }
        return largest < 0 ? -1 : 1;
    }

    /**
     * Refuses elements that are not finite, which no factorisation can process; {@code op} is named
     * in the error.
     */
    void requireFinite(String op, int number) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                double x = get(i, j);
                if (!Double.isFinite(x)) {
                    throw new ArithmeticException(
                            ("%s: matrix %s of the batch has %s at [%s,%s]; find where it comes"
                                            + " from, or replace it before the factorisation")
                                    .formatted(op, number, x, i, j));
                }
            }
        }
    }
}
