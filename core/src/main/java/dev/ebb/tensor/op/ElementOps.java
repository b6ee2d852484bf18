package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Label;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Activations;

/** Elementwise operations. Operands broadcast as in NumPy; element types must agree. */
public interface ElementOps {

    private Tensor self() {
        return (Tensor) this;
    }

    default Tensor add(Tensor y) {
        return self().apply(new Elementwise.Add(), y);
    }

    default Tensor add(double c) {
        return add(self().literal(c));
    }

    default Tensor sub(Tensor y) {
        return self().apply(new Elementwise.Sub(), y);
    }

    default Tensor sub(double c) {
        return sub(self().literal(c));
    }

    default Tensor mul(Tensor y) {
        return self().apply(new Elementwise.Mul(), y);
    }

    default Tensor mul(double c) {
        return mul(self().literal(c));
    }

    /**
     * The quotient; integers are rounded towards zero. An integer divided by zero stops the run
     * with an error.
     */
    default Tensor div(Tensor y) {
        return self().apply(new Elementwise.Div(), y);
    }

    default Tensor div(double c) {
        return div(divisor("div", c));
    }

    /** The remainder of a division rounded down; it has the sign of the divisor, as in Python. */
    default Tensor remainder(Tensor y) {
        return self().apply(new Elementwise.Remainder(), y);
    }

    default Tensor remainder(double c) {
        return remainder(divisor("remainder", c));
    }

    private Tensor divisor(String op, double c) {
        if (c == 0 && !self().dtype().isFloat()) {
            throw new ShapeException(
                    op
                            + ": "
                            + self().type()
                            + " by zero, and no integer is the quotient; cast to a float type for"
                            + " infinities");
        }
        return self().literal(c);
    }

    /** The larger of two, or NaN if either is. */
    default Tensor maximum(Tensor y) {
        return self().apply(new Elementwise.Maximum(), y);
    }

    default Tensor maximum(double c) {
        return maximum(self().literal(c));
    }

    /** The lesser of two, or NaN if either is. */
    default Tensor minimum(Tensor y) {
        return self().apply(new Elementwise.Minimum(), y);
    }

    default Tensor minimum(double c) {
        return minimum(self().literal(c));
    }

    default Tensor pow(Tensor y) {
        return self().apply(new Exponentials.Pow(), y);
    }

    default Tensor pow(double exponent) {
        return self().apply(new Exponentials.PowScalar(exponent));
    }

    /** The angle of the point with ordinate {@code this} and abscissa {@code y}. */
    default Tensor atan2(Tensor y) {
        return self().apply(new Trigonometry.Atan2(), y);
    }

    /** The length of the hypotenuse, without overflow. */
    default Tensor hypot(Tensor y) {
        return self().apply(new Trigonometry.Hypot(), y);
    }

    /** The logarithm of a sum of exponentials, without overflow. */
    default Tensor logaddexp(Tensor y) {
        return self().apply(new Exponentials.Logaddexp(), y);
    }

    /** {@code this * log(y)}, and zero where this is zero. */
    default Tensor xlogy(Tensor y) {
        return self().apply(new Exponentials.Xlogy(), y);
    }

    default Tensor neg() {
        return self().apply(new Elementwise.Neg());
    }

    default Tensor abs() {
        return self().apply(new Elementwise.Abs());
    }

    default Tensor square() {
        return self().apply(new Elementwise.Square());
    }

    default Tensor reciprocal() {
        return self().apply(new Elementwise.Reciprocal());
    }

    default Tensor sqrt() {
        return self().apply(new Function(Fn1.SQRT));
    }

    /** The cube root, of negative numbers too. */
    default Tensor cbrt() {
        return self().apply(new Function(Fn1.CBRT));
    }

    default Tensor rsqrt() {
        return self().apply(new Elementwise.Rsqrt());
    }

    default Tensor sign() {
        return self().apply(new Elementwise.Step(Fn1.SIGN));
    }

    default Tensor floor() {
        return self().apply(new Elementwise.Step(Fn1.FLOOR));
    }

    default Tensor ceil() {
        return self().apply(new Elementwise.Step(Fn1.CEIL));
    }

    /** The nearest whole number, half to even. */
    default Tensor round() {
        return self().apply(new Elementwise.Step(Fn1.ROUND));
    }

    default Tensor exp() {
        return self().apply(new Function(Fn1.EXP));
    }

    default Tensor expm1() {
        return self().apply(new Function(Fn1.EXPM1));
    }

    default Tensor log() {
        return self().apply(new Function(Fn1.LOG));
    }

    default Tensor log1p() {
        return self().apply(new Function(Fn1.LOG1P));
    }

    default Tensor log2() {
        return self().apply(new Function(Fn1.LOG2));
    }

    default Tensor sin() {
        return self().apply(new Function(Fn1.SIN));
    }

    default Tensor cos() {
        return self().apply(new Function(Fn1.COS));
    }

    default Tensor tan() {
        return self().apply(new Function(Fn1.TAN));
    }

    default Tensor asin() {
        return self().apply(new Function(Fn1.ASIN));
    }

    default Tensor acos() {
        return self().apply(new Function(Fn1.ACOS));
    }

    default Tensor atan() {
        return self().apply(new Function(Fn1.ATAN));
    }

    default Tensor sinh() {
        return self().apply(new Function(Fn1.SINH));
    }

    default Tensor cosh() {
        return self().apply(new Function(Fn1.COSH));
    }

    default Tensor tanh() {
        return self().apply(new Function(Fn1.TANH));
    }

    default Tensor asinh() {
        return self().apply(new Function(Fn1.ASINH));
    }

    default Tensor acosh() {
        return self().apply(new Function(Fn1.ACOSH));
    }

    default Tensor atanh() {
        return self().apply(new Function(Fn1.ATANH));
    }

    default Tensor erf() {
        return self().apply(new Function(Fn1.ERF));
    }

    default Tensor erfc() {
        return self().apply(new Function(Fn1.ERFC));
    }

    default Tensor erfinv() {
        return self().apply(new Function(Fn1.ERFINV));
    }

    default Tensor lgamma() {
        return self().apply(new Function(Fn1.LGAMMA));
    }

    /** The derivative of {@link #lgamma}. */
    default Tensor digamma() {
        return polygamma(0);
    }

    /** The derivative of this order of {@link #digamma}. */
    default Tensor polygamma(int order) {
        return self().apply(new SpecialFunctionOps.Polygamma(order));
    }

    /** The nearest value in {@code [low, high]}. */
    default Tensor clamp(double low, double high) {
        return self().apply(new Activations.Clamp(low, high));
    }

    /** These values as another element type. */
    default Tensor cast(DType to) {
        return to == self().dtype() ? self() : self().apply(new Selection.Cast(to));
    }

    /** The same values, through which nothing flows back. */
    default Tensor detach() {
        return self().apply(new Selection.Detach());
    }

    /** The same values under a name, by which strategies and reports find them. */
    default Tensor named(String name) {
        return self().apply(new Label(name));
    }
}
