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
import static dev.ebb.ir.math.Waves.TWO_OVER_PI;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.math.Polynomial;
import dev.ebb.ir.math.Waves;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;

import java.util.List;

/**
 * Sine, cosine, tangent and its inverse of f64 vectors, by the steps of {@link Waves}. A block with
 * an argument beyond {@link Waves#FAR}, rare in practice, is computed by the scalar function.
 */
public final class F64Waves {
    private static final double[] ATAN = Polynomial.ATAN.coefficients();
    private static final double[] COSINE = Polynomial.COSINE.coefficients();
    private static final double[] SINE = Polynomial.SINE.coefficients();

    private static final DoubleVector ALL_FAR = all(FAR);
    private static final DoubleVector ALL_TWO_OVER_PI = all(TWO_OVER_PI);
    private static final DoubleVector LESS_HALF_PI_1 = all(-HALF_PI_1);
    private static final DoubleVector LESS_HALF_PI_2 = all(-HALF_PI_2);
    private static final DoubleVector ALL_HALF_PI_2 = all(HALF_PI_2);
    private static final DoubleVector ALL_HALF_PI_3 = all(HALF_PI_3);

    private static final List<F64Pass> SIN = List.of(F64Waves::reductions, F64Waves::sin);
    private static final List<F64Pass> COS = List.of(F64Waves::reductions, F64Waves::cos);
    private static final List<F64Pass> TAN = List.of(F64Waves::reductions, F64Waves::tan);

    private F64Waves() {}

    /** Sines of {@code n} numbers from {@code a} on. */
    public static void sin(double[] r, int a, int o, int n) {
        waves(SIN, Fn1.SIN, r, a, o, n);
    }

    /** Cosines of {@code n} numbers from {@code a} on. */
    public static void cos(double[] r, int a, int o, int n) {
        waves(COS, Fn1.COS, r, a, o, n);
    }

    /** Tangents of {@code n} numbers from {@code a} on. */
    public static void tan(double[] r, int a, int o, int n) {
        waves(TAN, Fn1.TAN, r, a, o, n);
    }

    private static void waves(List<F64Pass> passes, Fn1 fn, double[] r, int a, int o, int n) {
        var between = new double[2 * F64Pass.BLOCK];
        for (int i = 0; i < n; i += F64Pass.BLOCK) {
            int some = Math.min(F64Pass.BLOCK, n - i);
            if (areNear(r, a + i, some)) {
                F64Pass.run(passes, r, a + i, a + i, o + i, between, some);
            } else {
                for (int j = i; j < i + some; j++) r[o + j] = fn.apply(r[a + j]);
            }
        }
    }

    private static boolean areNear(double[] r, int a, int n) {
        // one test for all: a branch for each vector would cost as much as the arithmetic
        var near = F64Math.LANES.maskAll(true);
        for (int i = 0; i < n; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            near = near.and(x.lanewise(ABS).compare(LE, ALL_FAR));
        }
        return near.allTrue();
    }

    /**
     * The argument minus the nearest multiple n of pi/2, and the low part of this difference with
     * the opposite sign.
     */
    private static void reductions(double[] r, int a, int b, int o, double[] between, int m) {
        for (int i = 0; i < m; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            var n = turns(x).sub(ALL_MAGIC);
            var exact = n.fma(LESS_HALF_PI_1, x);
            var second = n.mul(LESS_HALF_PI_2);
            var first = exact.add(second);
            var lost = second.sub(first.sub(exact));
            var rest = lost.sub(n.fma(ALL_HALF_PI_3, n.fma(ALL_HALF_PI_2, second)));
            var near = first.add(rest);
            near.intoArray(between, i);
            near.sub(first).sub(rest).intoArray(between, F64Pass.BLOCK + i);
        }
    }

    /** n + MAGIC. */
    private static DoubleVector turns(DoubleVector x) {
        return x.fma(ALL_TWO_OVER_PI, ALL_MAGIC);
    }

    private static void sin(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var t = turns(DoubleVector.fromArray(F64Math.LANES, r, a + i)).reinterpretAsLongs();
            chosen(t, between, i).intoArray(r, o + i);
        }
    }

    private static void cos(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var t = turns(DoubleVector.fromArray(F64Math.LANES, r, a + i)).reinterpretAsLongs();
            chosen(t.add(1), between, i).intoArray(r, o + i);
        }
    }

    /** The tangent as the quotient of sine and cosine. */
    private static void tan(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var t = turns(DoubleVector.fromArray(F64Math.LANES, r, a + i)).reinterpretAsLongs();
            var odd = isOdd(t);
            var near = DoubleVector.fromArray(F64Math.LANES, between, i);
            var lessLow = DoubleVector.fromArray(F64Math.LANES, between, F64Pass.BLOCK + i);
            var z = near.mul(near);
            var s = sine(near, lessLow, z);
            var c = cosine(near, lessLow, z);
            s.blend(c.neg(), odd).div(c.blend(s, odd)).intoArray(r, o + i);
        }
    }

    private static VectorMask<Double> isOdd(LongVector turns) {
        return turns.lanewise(LSHL, 63).compare(LT, 0).cast(F64Math.LANES);
    }

    /** The sine after a number of additional quarter turns, the low two bits of {@code turns}. */
    private static DoubleVector chosen(LongVector turns, double[] between, int i) {
        var near = DoubleVector.fromArray(F64Math.LANES, between, i);
        var lessLow = DoubleVector.fromArray(F64Math.LANES, between, F64Pass.BLOCK + i);
        var z = near.mul(near);
        var s = sine(near, lessLow, z);
        var y = s.blend(cosine(near, lessLow, z), isOdd(turns)).reinterpretAsLongs();
        var sign = turns.and(2).lanewise(LSHL, 62);
        return y.lanewise(XOR, sign).reinterpretAsDoubles();
    }

    /** sin(r - lessLow), where {@code z} is the square of r. */
    private static DoubleVector sine(DoubleVector r, DoubleVector lessLow, DoubleVector z) {
        var most = z.fma(LESS_HALF, ONE);
        var p = polynomial(SINE, z, z.mul(z));
        return r.sub(p.fma(z.mul(r), lessLow.mul(most)));
    }

    /** cos(r - lessLow), where {@code z} is the square of r. */
    private static DoubleVector cosine(DoubleVector r, DoubleVector lessLow, DoubleVector z) {
        var most = z.fma(LESS_HALF, ONE);
        var zz = z.mul(z);
        var p = polynomial(COSINE, z, zz);
        var lost = z.fma(LESS_HALF, ONE.sub(most));
        return p.fma(zz, r.fma(lessLow, lost)).add(most);
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
