package dev.ebb.science;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * Incomplete gamma and beta functions and Bessel functions, element by element, for f32 and f64;
 * operands broadcast. They are computed one by one in double, on a card's host too, and
 * differentiated by all operands; only a second derivative by shapes is an error. Derivatives by
 * shapes are off by about 1e-14, times a few tenths of the shapes, and by up to 1e-11 where one
 * shape of a beta function is far below one and the other far above.
 */
public final class SpecialFunctions {
    private SpecialFunctions() {}

    /** The share of the gamma distribution of shape {@code a} below {@code x}: P(a, x). */
    public static Tensor gammaLower(Tensor a, Tensor x) {
        return apply(Pointwise.GAMMA_LOWER, a, x);
    }

    /** The share of the gamma distribution of shape {@code a} above {@code x}: Q(a, x). */
    public static Tensor gammaUpper(Tensor a, Tensor x) {
        return apply(Pointwise.GAMMA_UPPER, a, x);
    }

    /** The share of the beta distribution of shapes {@code a}, {@code b} below {@code x}. */
    public static Tensor beta(Tensor a, Tensor b, Tensor x) {
        return apply(Pointwise.BETA, a, b, x);
    }

    /** The Bessel function of the first kind of order zero. */
    public static Tensor besselJ0(Tensor x) {
        return apply(Pointwise.BESSEL_J0, x);
    }

    /** The Bessel function of the first kind of order one. */
    public static Tensor besselJ1(Tensor x) {
        return apply(Pointwise.BESSEL_J1, x);
    }

    /** The modified Bessel function of the first kind of order zero. */
    public static Tensor besselI0(Tensor x) {
        return apply(Pointwise.BESSEL_I0, x);
    }

    /** The modified Bessel function of the first kind of order one. */
    public static Tensor besselI1(Tensor x) {
        return apply(Pointwise.BESSEL_I1, x);
    }

    /** {@code exp(-|x|)} times {@link #besselI0}, without overflow. */
    public static Tensor besselI0Scaled(Tensor x) {
        return apply(Pointwise.BESSEL_I0_SCALED, x);
    }

    /** {@code exp(-|x|)} times {@link #besselI1}, without overflow. */
    public static Tensor besselI1Scaled(Tensor x) {
        return apply(Pointwise.BESSEL_I1_SCALED, x);
    }

    private static Tensor apply(Pointwise function, Tensor... operands) {
        Floats.alike(function.title(), operands);
        var shape = Shape.scalar();
        for (Tensor t : operands) shape = Shape.broadcast(shape, t.shape());
        var wide = new ArrayList<Tensor>();
        for (Tensor t : operands) wide.add(t.broadcastTo(shape));
        List<Tensor> others = wide.subList(1, wide.size());
        return wide.getFirst().apply(new Pointwise.Apply(function), others.toArray(new Tensor[0]));
    }
}
