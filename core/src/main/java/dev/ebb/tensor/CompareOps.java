package dev.ebb.tensor;

import dev.ebb.ir.Scalar;

/** Comparisons, which give truth values, and logic on them. */
public interface CompareOps {

    private Tensor compare(Scalar.Fn2 fn, Tensor y) {
        return ((Tensor) this).apply(new Selection.Compare(fn), y);
    }

    default Tensor eq(Tensor y) {
        return compare(Scalar.Fn2.EQ, y);
    }

    default Tensor ne(Tensor y) {
        return compare(Scalar.Fn2.NE, y);
    }

    default Tensor lt(Tensor y) {
        return compare(Scalar.Fn2.LT, y);
    }

    default Tensor le(Tensor y) {
        return compare(Scalar.Fn2.LE, y);
    }

    default Tensor gt(Tensor y) {
        return compare(Scalar.Fn2.GT, y);
    }

    default Tensor ge(Tensor y) {
        return compare(Scalar.Fn2.GE, y);
    }
}
