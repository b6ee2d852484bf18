package dev.ebb.science;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

/**
 * Complex numbers as two tensors of one type. A record of tensors like any other: it can be an
 * argument, a result or a loop's carry, and the derivative of a real function by it is the pair of
 * the derivatives by both parts.
 */
public record Complex(Tensor re, Tensor im) {

    public Complex {
        if (!re.type().equals(im.type())) {
            throw new ShapeException(
                    "a complex tensor of parts %s and %s; they must be of one type"
                            .formatted(re.type(), im.type()));
        }
        Floats.require("Complex", re);
    }

    /** Real numbers. */
    public static Complex of(Tensor re) {
        return new Complex(re, re.mul(0).detach());
    }

    /** Numbers of these magnitudes and angles. */
    public static Complex polar(Tensor magnitude, Tensor angle) {
        return new Complex(magnitude.mul(angle.cos()), magnitude.mul(angle.sin()));
    }

    public Complex add(Complex y) {
        return new Complex(re.add(y.re), im.add(y.im));
    }

    public Complex sub(Complex y) {
        return new Complex(re.sub(y.re), im.sub(y.im));
    }

    public Complex mul(Complex y) {
        return new Complex(re.mul(y.re).sub(im.mul(y.im)), re.mul(y.im).add(im.mul(y.re)));
    }

    /** Both parts times a real tensor. */
    public Complex mul(Tensor y) {
        return new Complex(re.mul(y), im.mul(y));
    }

    /** Both parts times a number. */
    public Complex mul(double y) {
        return new Complex(re.mul(y), im.mul(y));
    }

    /** The quotient; the square of the divisor's magnitude must not overflow. */
    public Complex div(Complex y) {
        return mul(y.conjugate()).mul(y.re.square().add(y.im.square()).reciprocal());
    }

    public Complex neg() {
        return new Complex(re.neg(), im.neg());
    }

    public Complex conjugate() {
        return new Complex(re, im.neg());
    }

    /** The magnitude, without overflow. */
    public Tensor abs() {
        return re.hypot(im);
    }

    /** The angle, from minus pi to pi. */
    public Tensor angle() {
        return im.atan2(re);
    }

    public Complex exp() {
        return polar(re.exp(), im);
    }

    /** The principal logarithm. */
    public Complex log() {
        return new Complex(abs().log(), angle());
    }

    /** The principal power; not at zero. */
    public Complex pow(double y) {
        return log().mul(y).exp();
    }

    /** The matrix product, as that of real tensors. */
    public Complex matmul(Complex y) {
        return new Complex(
                re.matmul(y.re).sub(im.matmul(y.im)), re.matmul(y.im).add(im.matmul(y.re)));
    }

    /** The last two axes exchanged and conjugated. */
    public Complex adjoint() {
        return new Complex(re.transpose(), im.transpose().neg());
    }

    /** The sum of all elements. */
    public Complex sum() {
        return new Complex(re.sum(), im.sum());
    }
}
