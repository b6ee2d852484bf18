package dev.ebb.tensor;

import dev.ebb.ir.ShapeException;

/** Linear algebra. */
public interface LinearOps {

    private Tensor self() {
        return (Tensor) this;
    }

    /**
     * The matrix product, as in NumPy: vectors are rows on the left and columns on the right,
     * leading axes broadcast.
     */
    default Tensor matmul(Tensor y) {
        var x = self();
        if (x.rank() == 0 || y.rank() == 0) {
            throw new ShapeException(
                    "matmul: "
                            + x.type()
                            + " x "
                            + y.type()
                            + ": a scalar has no axis to sum over; use mul");
        }
        var a = x.rank() == 1 ? x.reshape(1, -1) : x;
        var b = y.rank() == 1 ? y.reshape(-1, 1) : y;
        var c = a.apply(new Products.MatMul(), b);
        if (y.rank() == 1) c = c.reshape(c.shape().reduce(java.util.List.of(c.rank() - 1), false));
        if (x.rank() == 1)
            c =
                    c.reshape(
                            c.shape()
                                    .reduce(
                                            java.util.List.of(c.rank() - (y.rank() == 1 ? 1 : 2)),
                                            false));
        return c;
    }
}
