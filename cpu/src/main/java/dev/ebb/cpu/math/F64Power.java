package dev.ebb.cpu.math;

import static dev.ebb.cpu.math.F64Math.ALL_LOG2_E;
import static dev.ebb.cpu.math.F64Math.ALL_MAGIC;
import static dev.ebb.cpu.math.F64Math.LESS_LN2_HIGH;
import static dev.ebb.cpu.math.F64Math.LESS_LN2_LOW;
import static dev.ebb.cpu.math.F64Math.ONE;
import static dev.ebb.cpu.math.F64Math.all;
import static dev.ebb.cpu.math.F64Math.polynomial;
import static dev.ebb.ir.math.Elementary.BIASED;
import static dev.ebb.ir.math.Elementary.LN2_HIGH;
import static dev.ebb.ir.math.Elementary.LN2_LOW;
import static dev.ebb.ir.math.Elementary.MANTISSA;
import static dev.ebb.ir.math.Elementary.MOST;
import static dev.ebb.ir.math.Elementary.ROOT_HALF;
import static dev.ebb.ir.math.Elementary.TO_ONE;
import static dev.ebb.ir.math.Elementary.TWO_52_BITS;
import static dev.ebb.ir.math.Elementary.TWO_THIRDS;
import static dev.ebb.ir.math.Elementary.TWO_THIRDS_LOW;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;

import dev.ebb.ir.math.Elementary;
import dev.ebb.ir.math.Polynomial;

import jdk.incubator.vector.DoubleVector;

import java.util.List;

/**
 * Powers of f64 vectors, by the steps of {@link Elementary}. A block with a base that is not a
 * positive normal number, or an exponent that is not finite, is computed by the scalar function.
 */
public final class F64Power {
    private static final DoubleVector ALL_TWO_THIRDS = all(TWO_THIRDS);
    private static final DoubleVector ALL_BIASED = all(BIASED);
    private static final DoubleVector ALL_LN2_HIGH = all(LN2_HIGH);
    private static final DoubleVector ALL_LN2_LOW = all(LN2_LOW);
    private static final DoubleVector LEAST = all(Double.MIN_NORMAL);
    private static final DoubleVector LARGEST = all(Double.MAX_VALUE);
    private static final DoubleVector ALL_MOST = all(MOST);
    private static final DoubleVector LESS_MOST = all(-MOST);
    private static final double[] FIFTH = Polynomial.FIFTH.coefficients();

    private F64Power() {}

    private static final List<F64Pass> PASSES =
            List.of(
                    F64Power::quotients,
                    F64Power::logarithms,
                    F64Power::products,
                    F64Power::powers);

    /** Powers of {@code n} numbers from {@code a} on with exponents from {@code b} on. */
    public static void pow(double[] r, int a, int b, int o, int n) {
        var between = new double[2 * F64Pass.BLOCK];
        for (int i = 0; i < n; i += F64Pass.BLOCK) {
            int some = Math.min(F64Pass.BLOCK, n - i);
            if (arePlain(r, a + i, b + i, some)) {
                F64Pass.run(PASSES, r, a + i, b + i, o + i, between, some);
            } else {
                for (int j = i; j < i + some; j++) r[o + j] = Elementary.pow(r[a + j], r[b + j]);
            }
        }
    }

    private static boolean arePlain(double[] r, int a, int b, int n) {
        // one test for all: a branch for each vector would cost as much as the arithmetic
        var plain = F64Math.LANES.maskAll(true);
        for (int i = 0; i < n; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            var y = DoubleVector.fromArray(F64Math.LANES, r, b + i).lanewise(ABS);
            plain = plain.and(x.compare(GE, LEAST)).and(x.compare(LE, LARGEST));
            plain = plain.and(y.compare(LE, LARGEST));
        }
        return plain.allTrue();
    }

    private static DoubleVector mantissa(DoubleVector x) {
        var bits = x.reinterpretAsLongs().add(TO_ONE);
        return bits.and(MANTISSA).add(ROOT_HALF).reinterpretAsDoubles();
    }

    /** s = (m - 1) / (m + 1) for the mantissa m, and the rounding error of s. */
    private static void quotients(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var m = mantissa(DoubleVector.fromArray(F64Math.LANES, r, a + i));
            var d = m.add(ONE);
            var inverse = ONE.div(d);
            var f = m.sub(ONE);
            var s = f.mul(inverse);
            var low = s.neg().fma(m.sub(d.sub(ONE)), s.neg().fma(d, f)).mul(inverse);
            s.intoArray(between, i);
            low.intoArray(between, F64Pass.BLOCK + i);
        }
    }

    /** log(x) = k ln(2) + log(m), as a sum of two doubles. */
    private static void logarithms(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var s = DoubleVector.fromArray(F64Math.LANES, between, i);
            var low = DoubleVector.fromArray(F64Math.LANES, between, F64Pass.BLOCK + i);
            var z = s.mul(s);
            var zLow = s.add(s).fma(low, s.fma(s, z.neg()));
            var c = polynomial(FIFTH, z).mul(z);
            var third = c.add(ALL_TWO_THIRDS);
            var thirdLow = ALL_TWO_THIRDS.sub(third).add(c).add(TWO_THIRDS_LOW);
            var p = z.mul(third);
            var pLow = z.fma(third, p.neg()).add(z.fma(thirdLow, zLow.mul(third)));
            var u = s.mul(p);
            var uLow = s.fma(p, u.neg()).add(s.fma(pLow, low.mul(p)));
            var twice = s.add(s);
            var h = twice.add(u);
            h.intoArray(between, i);
            var l = twice.sub(h).add(u).add(uLow.add(low.add(low)));
            l.intoArray(between, F64Pass.BLOCK + i);
        }
    }

    /** y log(x), as a sum of two doubles. */
    private static void products(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            var k = x.reinterpretAsLongs().add(TO_ONE).lanewise(LSHR, 52);
            var e = k.or(TWO_52_BITS).reinterpretAsDoubles().sub(ALL_BIASED);
            var y = DoubleVector.fromArray(F64Math.LANES, r, b + i);
            var h = DoubleVector.fromArray(F64Math.LANES, between, i);
            var l = DoubleVector.fromArray(F64Math.LANES, between, F64Pass.BLOCK + i);
            var whole = e.mul(ALL_LN2_HIGH);
            var log = whole.add(h);
            var logLow = whole.sub(log).add(h).add(e.fma(ALL_LN2_LOW, l));
            var product = y.mul(log);
            product.intoArray(between, i);
            y.fma(logLow, y.fma(log, product.neg())).intoArray(between, F64Pass.BLOCK + i);
        }
    }

    private static void powers(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var e = DoubleVector.fromArray(F64Math.LANES, between, i);
            exp(e, DoubleVector.fromArray(F64Math.LANES, between, F64Pass.BLOCK + i))
                    .intoArray(r, o + i);
        }
    }

    /** The exponential of {@code e + low}. */
    private static DoubleVector exp(DoubleVector e, DoubleVector low) {
        var inside = e.lanewise(ABS).compare(LE, ALL_MOST);
        var bound = ALL_MOST.blend(LESS_MOST, e.compare(LT, LESS_MOST));
        var x = bound.blend(e, inside);
        var t = x.fma(ALL_LOG2_E, ALL_MAGIC);
        var n = t.sub(ALL_MAGIC);
        var exact = n.fma(LESS_LN2_HIGH, x);
        var first = n.fma(LESS_LN2_LOW, exact);
        var rest = n.fma(LESS_LN2_LOW, exact.sub(first)).add(all(0).blend(low, inside));
        var r = first.add(rest);
        var q = F64Math.beyondLinear(r).add(first.sub(r).add(rest));
        return F64Math.scaled(q.add(r).add(ONE), t);
    }
}
