package dev.ebb.cpu.math;

import static dev.ebb.cpu.math.F64Math.LN2_HIGH;
import static dev.ebb.cpu.math.F64Math.LN2_LOW;
import static dev.ebb.cpu.math.F64Math.LESS_LN2_HIGH;
import static dev.ebb.cpu.math.F64Math.LESS_LN2_LOW;
import static dev.ebb.cpu.math.F64Math.ALL_LOG2_E;
import static dev.ebb.cpu.math.F64Math.ALL_MAGIC;
import static dev.ebb.cpu.math.F64Math.ONE;
import static dev.ebb.cpu.math.F64Math.all;
import static dev.ebb.cpu.math.F64Math.polynomial;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHR;

import jdk.incubator.vector.DoubleVector;

import java.util.List;

/**
 * Powers of f64 vectors, by the rules of {@link F64Math}: the exponential of y log(x), where the
 * logarithm and the product are sums of two doubles, as their error is multiplied by up to 745. A
 * block with a base that is not a positive normal number, or an exponent that is not finite, goes
 * through {@link F64Scalar}.
 *
 * <p>The error is at most 1 unit in the last place.
 */
public final class F64Power {
    /** Beyond, a power is infinite or zero. */
    static final double MOST = 800;

    static final double TWO_THIRDS = 0x1.5555555555555p-1;
    static final double TWO_THIRDS_LOW = 0x1.5555555555555p-55;

    /** ((log((1 + s) / (1 - s)) / s - 2) / s^2 - 2/3) / s^2 in s^2. */
    static final double[] FIFTH = {
        0x1.999999999999ap-2,
        0x1.2492492492491p-2,
        0x1.c71c71c71cfd9p-3,
        0x1.745d174513593p-3,
        0x1.3b13b1bc75cd4p-3,
        0x1.1110dfad0f8eap-3,
        0x1.e1f7fa7547177p-4,
        0x1.ac4a89c964b82p-4,
        0x1.b8d433113b7fap-4,
    };

    private static final DoubleVector ALL_TWO_THIRDS = all(TWO_THIRDS);

    private F64Power() {}

    /**
     * One of the loops of a power, over at most {@link #BLOCK} elements. All of them in one method
     * would pass what C2 inlines, and three kinds of passes at one call site are not inlined there.
     */
    @FunctionalInterface
    private interface Pass {
        void run(double[] r, int a, int b, int o, double[] between, int n);
    }

    private static final int BLOCK = 64;

    private static final List<Pass> PASSES =
            List.of(F64Power::quotients, F64Power::logarithms, F64Power::powers);

    /** Powers of {@code n} numbers from {@code a} on with exponents from {@code b} on. */
    public static void pow(double[] r, int a, int b, int o, int n) {
        var between = new double[2 * BLOCK];
        for (int i = 0; i < n; i += BLOCK) {
            int some = Math.min(BLOCK, n - i);
            if (arePlain(r, a + i, b + i, some)) {
                for (Pass pass : PASSES) pass.run(r, a + i, b + i, o + i, between, some);
            } else {
                for (int j = i; j < i + some; j++) r[o + j] = F64Scalar.pow(r[a + j], r[b + j]);
            }
        }
    }

    private static boolean arePlain(double[] r, int a, int b, int n) {
        for (int i = 0; i < n; i++) if (!F64Scalar.isPlain(r[a + i], r[b + i])) return false;
        return true;
    }

    private static DoubleVector mantissa(DoubleVector x) {
        var bits = x.reinterpretAsLongs().add(F64Math.TO_ONE);
        return bits.and(F64Math.MANTISSA).add(F64Math.ROOT_HALF).reinterpretAsDoubles();
    }

    /** s = (m - 1) / (m + 1) for the mantissa m, and what rounding takes of it. */
    private static void quotients(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var m = mantissa(DoubleVector.fromArray(F64Math.LANES, r, a + i));
            var d = m.add(ONE);
            var inverse = ONE.div(d);
            var f = m.sub(ONE);
            var s = f.mul(inverse);
            var low = s.neg().fma(m.sub(d.sub(ONE)), s.neg().fma(d, f)).mul(inverse);
            s.intoArray(between, i);
            low.intoArray(between, BLOCK + i);
        }
    }

    /** log(x) = k ln(2) + log(m), as a sum of two doubles. */
    private static void logarithms(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var s = DoubleVector.fromArray(F64Math.LANES, between, i);
            var low = DoubleVector.fromArray(F64Math.LANES, between, BLOCK + i);
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
            l.intoArray(between, BLOCK + i);
        }
    }

    private static void powers(double[] r, int a, int b, int o, double[] between, int n) {
        for (int i = 0; i < n; i += 4) {
            var x = DoubleVector.fromArray(F64Math.LANES, r, a + i);
            var k = x.reinterpretAsLongs().add(F64Math.TO_ONE).lanewise(LSHR, 52);
            var e = k.or(F64Math.TWO_52_BITS).reinterpretAsDoubles().sub(F64Math.BIASED);
            var y = DoubleVector.fromArray(F64Math.LANES, r, b + i);
            var h = DoubleVector.fromArray(F64Math.LANES, between, i);
            var whole = e.mul(LN2_HIGH);
            var log = whole.add(h);
            var low = e.fma(all(LN2_LOW), DoubleVector.fromArray(F64Math.LANES, between, BLOCK + i));
            var logLow = whole.sub(log).add(h).add(low);
            var product = y.mul(log);
            exp(product, y.fma(logLow, y.fma(log, product.neg()))).intoArray(r, o + i);
        }
    }

    /** The exponential of {@code e + low}. */
    private static DoubleVector exp(DoubleVector e, DoubleVector low) {
        var inside = e.lanewise(ABS).compare(LE, MOST);
        var x = e.max(-MOST).min(MOST);
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
