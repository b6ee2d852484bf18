package dev.ebb.cpu.math;

import static dev.ebb.cpu.math.F64Math.ALL_MAGIC;
import static dev.ebb.cpu.math.F64Math.LESS_LN2_HIGH;
import static dev.ebb.cpu.math.F64Math.LESS_LN2_LOW;
import static dev.ebb.cpu.math.F64Math.ONE;
import static dev.ebb.cpu.math.F64Math.TWO;
import static dev.ebb.cpu.math.F64Math.all;
import static dev.ebb.cpu.math.F64Math.polynomial;
import static dev.ebb.ir.math.ErrorFunctions.ERFC_FAR;
import static dev.ebb.ir.math.ErrorFunctions.NEAR;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LT;

import dev.ebb.ir.math.Elementary;
import dev.ebb.ir.math.Polynomial;

import jdk.incubator.vector.DoubleVector;

import java.util.List;

/**
 * The error function and its complement of f64 vectors, by the steps of {@link
 * dev.ebb.ir.math.ErrorFunctions}.
 */
public final class F64Error {
    private static final DoubleVector FOUR = all(4);
    private static final DoubleVector ALL_ERFC_FAR = all(ERFC_FAR);
    private static final DoubleVector LESS_LOG2_E = all(-Elementary.LOG2_E);
    private static final double[] ERFCX = Polynomial.ERFCX.coefficients();
    private static final double[] ERF_NEAR = Polynomial.ERF_NEAR.coefficients();

    private static final List<F64Pass> ERF =
            List.of(F64Error::ratios, F64Error::complements, F64Error::erf);
    private static final List<F64Pass> ERFC =
            List.of(F64Error::ratios, F64Error::complements, F64Error::erfc);

    private F64Error() {}

    /** erf(x) for |x| up to 1/2. */
    private static DoubleVector near(DoubleVector x) {
        var z = x.mul(x);
        var p = polynomial(ERF_NEAR, z);
        return p.fma(x, x);
    }

    /** erfc(x) / e^(-x^2) for x of 1/2 and more. */
    private static DoubleVector scaledComplement(DoubleVector x) {
        var t = x.sub(FOUR).div(x.add(FOUR));
        var p = polynomial(ERFCX, t);
        return p.div(x.fma(TWO, ONE));
    }

    /** e^(-x^2) / 2^n, where {@code t} is n + MAGIC. */
    private static DoubleVector gauss(DoubleVector x, DoubleVector square, DoubleVector t) {
        var n = t.sub(ALL_MAGIC);
        var r = n.fma(LESS_LN2_LOW, n.fma(LESS_LN2_HIGH, square.neg()));
        var e = F64Math.beyondLinear(r).add(r).add(ONE);
        // minus the rounding error of the square
        return x.neg().fma(x, square).fma(e, e);
    }

    /** The error function of {@code n} numbers from {@code a} on. */
    public static void erf(double[] r, int a, int o, int n) {
        blocks(ERF, r, a, o, n);
    }

    /**
     * erfc(x) = 1 - erf(x), accurate to its own last places, of {@code n} numbers from {@code a}
     * on.
     */
    public static void erfc(double[] r, int a, int o, int n) {
        blocks(ERFC, r, a, o, n);
    }

    private static void blocks(List<F64Pass> passes, double[] r, int a, int o, int n) {
        var between = new double[F64Pass.BLOCK];
        for (int i = 0; i < n; i += F64Pass.BLOCK) {
            int some = Math.min(F64Pass.BLOCK, n - i);
            F64Pass.run(passes, r, a + i, a + i, o + i, between, some);
        }
    }

    private static DoubleVector clamped(double[] r, int at) {
        var a = DoubleVector.fromArray(F64Math.LANES, r, at).lanewise(ABS);
        // the smaller of both; a vector's min takes several instructions, for the signs of zeros
        return a.blend(ALL_ERFC_FAR, a.compare(GT, ALL_ERFC_FAR));
    }

    private static void ratios(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) scaledComplement(clamped(r, a + i)).intoArray(between, i);
    }

    private static void complements(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var c = clamped(r, a + i);
            var square = c.mul(c);
            var t = square.fma(LESS_LOG2_E, ALL_MAGIC);
            var ratio = DoubleVector.fromArray(F64Math.LANES, between, i);
            F64Math.scaled(gauss(c, square, t).mul(ratio), t).intoArray(between, i);
        }
    }

    private static void erf(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            var far = ONE.sub(DoubleVector.fromArray(F64Math.LANES, between, i));
            far = far.blend(far.neg(), x.compare(LT, 0));
            near(x).blend(far, x.lanewise(ABS).compare(GE, NEAR)).intoArray(r, o + i);
        }
    }

    private static void erfc(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            var far = DoubleVector.fromArray(F64Math.LANES, between, i);
            far = far.blend(TWO.sub(far), x.compare(LT, 0));
            var isFar = x.lanewise(ABS).compare(GE, NEAR);
            ONE.sub(near(x)).blend(far, isFar).intoArray(r, o + i);
        }
    }
}
