package dev.ebb.tensor;

import dev.ebb.ir.DType;

/** Elementwise operations. Operands broadcast as in NumPy; element types must agree. */
public interface ElementOps {

    private Tensor self() {
        return (Tensor) this;
    }

    default Tensor add(Tensor y) {
        return self().apply(new Elementwise.Add(), y);
    }

    default Tensor sub(Tensor y) {
        return self().apply(new Elementwise.Sub(), y);
    }

    default Tensor mul(Tensor y) {
        return self().apply(new Elementwise.Mul(), y);
    }

    default Tensor div(Tensor y) {
        return self().apply(new Elementwise.Div(), y);
    }

    default Tensor add(double c) {
        return add(self().literal(c));
    }

    default Tensor sub(double c) {
        return sub(self().literal(c));
    }

    default Tensor mul(double c) {
        return mul(self().literal(c));
    }

    default Tensor div(double c) {
        return div(self().literal(c));
    }

    default Tensor neg() {
        return self().apply(new Elementwise.Neg());
    }

    default Tensor exp() {
        return self().apply(new Elementwise.Exp());
    }

    default Tensor log() {
        return self().apply(new Elementwise.Log());
    }

    default Tensor tanh() {
        return self().apply(new Elementwise.Tanh());
    }

    default Tensor sin() {
        return self().apply(new Elementwise.Sin());
    }

    default Tensor cos() {
        return self().apply(new Elementwise.Cos());
    }

    default Tensor sqrt() {
        return self().apply(new Elementwise.Sqrt());
    }

    default Tensor square() {
        return self().apply(new Elementwise.Square());
    }

    default Tensor relu() {
        return self().apply(new Elementwise.Relu());
    }

    /** These values as another element type. */
    default Tensor cast(DType to) {
        return to == self().dtype() ? self() : self().apply(new Selection.Cast(to));
    }

    /** The same values, through which nothing flows back. */
    default Tensor detach() {
        return self().apply(new Selection.Detach());
    }
}
