package dev.ebb.cpu.math;

import static dev.ebb.cpu.math.F64Math.LESS_LN2_HIGH;
import static dev.ebb.cpu.math.F64Math.LESS_LN2_LOW;
import static dev.ebb.cpu.math.F64Math.ALL_MAGIC;
import static dev.ebb.cpu.math.F64Math.ONE;
import static dev.ebb.cpu.math.F64Math.TWO;
import static dev.ebb.cpu.math.F64Math.all;
import static dev.ebb.cpu.math.F64Math.polynomial;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.DoubleVector;

/**
 * The error function and its complement of f64 vectors, by the rules of {@link F64Math}: near zero
 * a polynomial of the square; beyond, the scaled complement {@code exp(x^2) erfc(x)}, which is
 * smooth, times an exponential whose argument is kept to twice the precision. The polynomials are
 * those of {@code special_fits.py} beside core's tests.
 *
 * <p>Errors in units in the last place: erf 2, erfc 3.5.
 */
public final class F64Error {
    /** Up to here erf is a polynomial. */
    static final double NEAR = 0.5;

    /** Beyond, erf rounds to 1. */
    static final double ERF_FAR = 6;

    /** Beyond, erfc rounds to zero. */
    static final double ERFC_FAR = 27.3;

    /** erf(x) / x - 1 in x^2, for |x| up to 1/2. */
    static final double[] ERF_NEAR = {
        0x1.06eba8214db69p-3,
        -0x1.812746b0379e6p-2,
        0x1.ce2f21a042b29p-4,
        -0x1.b82ce3127f739p-6,
        0x1.565bcd0aa6349p-8,
        -0x1.c02db23d41138p-11,
        0x1.f9a2a6635fe79p-14,
        -0x1.f4bb9f7301dedp-17,
        0x1.b776442df3041p-20,
        -0x1.39fb524e9c1f7p-23,
    };

    /** (1 + 2x) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x from 1/2 to 28. */
    static final double[] ERFCX = {
        0x1.3ba5916e9fd7fp+0,
        -0x1.1df1ad154a28ep-3,
        0x1.f7f5df66fd76dp-7,
        0x1.16ecefcfa52b5p-4,
        -0x1.9ddb23c3e8e00p-4,
        0x1.7fee004e14c37p-4,
        -0x1.0fb06dfe4e4f9p-4,
        0x1.3079edf61e7a1p-5,
        -0x1.09623883f080cp-6,
        0x1.49c672aa08182p-8,
        -0x1.8d4a9b1376eaep-11,
        -0x1.a1df44d0d357ap-13,
        0x1.3be055036ec36p-13,
        -0x1.9954dbbbdf343p-16,
        -0x1.788966f85ff88p-17,
        0x1.7ef4d531cf830p-18,
        0x1.3abf792a3125dp-22,
        -0x1.b7f86449a0aa8p-21,
        0x1.43dc50b7baccdp-24,
        0x1.bb7be885c5a0bp-24,
        -0x1.3c396538d8d44p-26,
        -0x1.4ba5c49bc26a7p-27,
        0x1.0eff5654f9fd0p-29,
    };

    private static final DoubleVector FOUR = all(4);
    private static final DoubleVector ALL_ERF_FAR = all(ERF_FAR);
    private static final DoubleVector ALL_ERFC_FAR = all(ERFC_FAR);
    private static final DoubleVector LESS_LOG2_E = all(-F64Math.LOG2_E);

    private F64Error() {}

    /** erf(x) for |x| up to 1/2. */
    private static DoubleVector near(DoubleVector x) {
        var z = x.mul(x);
        var p = polynomial(ERF_NEAR, z);
        return p.fma(x, x);
    }

    /** erfc of 1/2 and more, over e^(-x^2). */
    private static DoubleVector scaledComplement(DoubleVector x) {
        var t = x.sub(FOUR).div(x.add(FOUR));
        var p = polynomial(ERFCX, t);
        return p.div(x.fma(TWO, ONE));
    }

    /** e^(-x^2) over 2^n, where {@code t} is n + MAGIC. */
    private static DoubleVector gauss(DoubleVector x, DoubleVector square, DoubleVector t) {
        var n = t.sub(ALL_MAGIC);
        var r = n.fma(LESS_LN2_LOW, n.fma(LESS_LN2_HIGH, square.neg()));
        var e = F64Math.beyondLinear(r).add(r).add(ONE);
        // less what rounding took of the square
        return x.neg().fma(x, square).fma(e, e);
    }

    /** The error function. */
    public static DoubleVector erf(DoubleVector x) {
        var a = x.lanewise(ABS);
        var c = a.min(ALL_ERF_FAR);
        var square = c.mul(c);
        var t = square.fma(LESS_LOG2_E, ALL_MAGIC);
        var e = gauss(c, square, t).mul(scaledComplement(c));
        var far = ONE.sub(e.mul(F64Math.power(t.reinterpretAsLongs())));
        far = far.blend(far.neg(), x.compare(LT, 0));
        return near(x).blend(far, a.compare(GE, NEAR));
    }

    /** 1 - erf(x), to its own last places. */
    public static DoubleVector erfc(DoubleVector x) {
        var a = x.lanewise(ABS);
        var c = a.min(ALL_ERFC_FAR);
        var square = c.mul(c);
        var t = square.fma(LESS_LOG2_E, ALL_MAGIC);
        var far = F64Math.scaled(gauss(c, square, t).mul(scaledComplement(c)), t);
        far = far.blend(TWO.sub(far), x.compare(LT, 0));
        return ONE.sub(near(x)).blend(far, a.compare(GE, NEAR));
    }
}
