package dev.ebb.cpu.math;

import static dev.ebb.cpu.math.F64Math.ALL_MAGIC;
import static dev.ebb.cpu.math.F64Math.LESS_HALF;
import static dev.ebb.cpu.math.F64Math.ONE;
import static dev.ebb.cpu.math.F64Math.all;
import static dev.ebb.cpu.math.F64Math.polynomial;
import static dev.ebb.ir.math.Waves.ATAN_FAR;
import static dev.ebb.ir.math.Waves.ATAN_NEAR;
import static dev.ebb.ir.math.Waves.FAR;
import static dev.ebb.ir.math.Waves.HALF_PI_1;
import static dev.ebb.ir.math.Waves.HALF_PI_2;
import static dev.ebb.ir.math.Waves.HALF_PI_3;
import static dev.ebb.ir.math.Waves.TINY;
import static dev.ebb.ir.math.Waves.TWO_OVER_PI;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.ebb.ir.math.Polynomial;
import dev.ebb.ir.math.Waves;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorMask;

/**
 * Sine, cosine, tangent and its inverse of f64 vectors, by the rules of {@link F64Math}. The
 * argument of a wave is reduced by the nearest multiple n of pi/2, which is subtracted in three
 * parts of 53 bits after Cody and Waite: the first difference is exact as n is rounded from the
 * argument, and what the second rounds off is kept as a low part. That holds up to {@link #FAR}; what
 * lies beyond, rare in practice, is left to {@link Waves}.
 *
 * <p>Errors in units in the last place: sin and cos 0.9, tan 2.2, atan 1.1.
 */
public final class F64Waves {
    private static final double[] ATAN = Polynomial.ATAN.coefficients();
    private static final double[] COSINE = Polynomial.COSINE.coefficients();
    private static final double[] SINE = Polynomial.SINE.coefficients();

    private F64Waves() {}

    /** sin(x), for |x| up to {@link #FAR}. */
    public static DoubleVector sin(DoubleVector x) {
        var t = x.fma(all(TWO_OVER_PI), ALL_MAGIC);
        var y = wave(x, t.sub(ALL_MAGIC), t, 0);
        return y.blend(x, x.lanewise(ABS).compare(LT, TINY));
    }

    /** cos(x), for |x| up to {@link #FAR}. */
    public static DoubleVector cos(DoubleVector x) {
        var t = x.fma(all(TWO_OVER_PI), ALL_MAGIC);
        return wave(x, t.sub(ALL_MAGIC), t, 1);
    }

    /** tan(x), the quotient of both, for |x| up to {@link #FAR}. */
    public static DoubleVector tan(DoubleVector x) {
        var t = x.fma(all(TWO_OVER_PI), ALL_MAGIC);
        var n = t.sub(ALL_MAGIC);
        var exact = n.fma(all(-HALF_PI_1), x);
        var second = n.mul(HALF_PI_2);
        var first = exact.sub(second);
        var rest = rest(n, exact, second, first);
        var r = first.add(rest);
        var low = first.sub(r).add(rest);
        var z = r.mul(r);
        var most = z.fma(LESS_HALF, ONE);
        var s = sine(r, low, z, most);
        var c = cosine(r, low, z, most);
        var odd = isOdd(t, 0);
        var y = s.blend(c.neg(), odd).div(c.blend(s, odd));
        return y.blend(x, x.lanewise(ABS).compare(LT, TINY));
    }

    /**
     * Whether the waves of {@code n} numbers from {@code a} on, and of those that fill up the last
     * vector, may be taken by vectors.
     */
    public static boolean areNear(double[] r, int a, int n) {
        for (int i = 0; i < n; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            if (!x.lanewise(ABS).compare(LE, FAR).allTrue()) return false;
        }
        return true;
    }

    private static VectorMask<Double> isOdd(DoubleVector t, int more) {
        return t.reinterpretAsLongs().add(more).and(1).compare(NE, 0).cast(F64Math.LANES);
    }

    /** What rounding took from {@code first = exact - second}, and the third part of n pi/2. */
    private static DoubleVector rest(
            DoubleVector n, DoubleVector exact, DoubleVector second, DoubleVector first) {
        var back = first.sub(exact);
        var lost = exact.sub(first.sub(back)).sub(second.add(back));
        return lost.sub(n.fma(all(HALF_PI_3), n.fma(all(HALF_PI_2), second.neg())));
    }

    /** The sine of {@code x} plus {@code more} quarter turns; {@code t} is n + MAGIC. */
    private static DoubleVector wave(DoubleVector x, DoubleVector n, DoubleVector t, int more) {
        var exact = n.fma(all(-HALF_PI_1), x);
        var second = n.mul(HALF_PI_2);
        var first = exact.sub(second);
        var rest = rest(n, exact, second, first);
        var r = first.add(rest);
        var low = first.sub(r).add(rest);
        var z = r.mul(r);
        var most = z.fma(LESS_HALF, ONE);
        var y = sine(r, low, z, most).blend(cosine(r, low, z, most), isOdd(t, more));
        var sign = t.reinterpretAsLongs().add(more).and(2).lanewise(LSHL, 62);
        return y.reinterpretAsLongs().lanewise(XOR, sign).reinterpretAsDoubles();
    }

    /** sin(r + low), where z is r^2 and most is 1 - z/2. */
    private static DoubleVector sine(
            DoubleVector r, DoubleVector low, DoubleVector z, DoubleVector most) {
        var p = polynomial(SINE, z);
        return p.fma(z.mul(r), low.mul(most)).add(r);
    }

    /** cos(r + low). */
    private static DoubleVector cosine(
            DoubleVector r, DoubleVector low, DoubleVector z, DoubleVector most) {
        var p = polynomial(COSINE, z);
        var lost = z.fma(LESS_HALF, ONE.sub(most));
        return p.mul(z).fma(z, lost.sub(r.mul(low))).add(most);
    }

    /** atan(x), from the nearest of 0, pi/4 and pi/2. */
    public static DoubleVector atan(DoubleVector x) {
        var a = x.lanewise(ABS);
        var middle = a.compare(GE, ATAN_NEAR);
        var far = a.compare(GE, ATAN_FAR);
        var up = a.blend(a.sub(ONE), middle).blend(-1, far);
        var down = ONE.blend(a.add(ONE), middle).blend(a, far);
        var t = up.div(down);
        var z = t.mul(t);
        var p = polynomial(ATAN, z);
        var base = all(0).blend(HALF_PI_1 / 2, middle).blend(HALF_PI_1, far);
        var rest = all(0).blend(HALF_PI_2 / 2, middle).blend(HALF_PI_2, far);
        var y = p.fma(z.mul(t), rest).add(t).add(base);
        return F64Math.withSign(y, x);
    }
}
