package dev.ebb.tensor.op;

import dev.ebb.ir.Scalar;
import dev.ebb.tensor.Tensor;

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

    default Tensor eq(double c) {
        return eq(((Tensor) this).literal(c));
    }

    default Tensor ne(double c) {
        return ne(((Tensor) this).literal(c));
    }

    default Tensor lt(double c) {
        return lt(((Tensor) this).literal(c));
    }

    default Tensor le(double c) {
        return le(((Tensor) this).literal(c));
    }

    default Tensor gt(double c) {
        return gt(((Tensor) this).literal(c));
    }

    default Tensor ge(double c) {
        return ge(((Tensor) this).literal(c));
    }

    /** Both, of truth values; bit by bit of integers. */
    default Tensor and(Tensor y) {
        return ((Tensor) this).apply(new Selection.Logic(Scalar.Fn2.AND), y);
    }

    /** Either or both, of truth values; bit by bit of integers. */
    default Tensor or(Tensor y) {
        return ((Tensor) this).apply(new Selection.Logic(Scalar.Fn2.OR), y);
    }

    /** Either but not both, of truth values; bit by bit of integers. */
    default Tensor xor(Tensor y) {
        return ((Tensor) this).apply(new Selection.Logic(Scalar.Fn2.XOR), y);
    }

    /** The other truth value; every bit turned over of integers. */
    default Tensor not() {
        return ((Tensor) this).apply(new Selection.Not());
    }

    default Tensor isNan() {
        return ((Tensor) this).apply(new Selection.IsNan());
    }
}
