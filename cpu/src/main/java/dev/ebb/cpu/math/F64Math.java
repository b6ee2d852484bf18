package dev.ebb.cpu.math;

import static dev.ebb.ir.math.Elementary.BIASED;
import static dev.ebb.ir.math.Elementary.EXPM1_LEAST;
import static dev.ebb.ir.math.Elementary.EXP_LEAST;
import static dev.ebb.ir.math.Elementary.EXP_MOST;
import static dev.ebb.ir.math.Elementary.LN2_HIGH;
import static dev.ebb.ir.math.Elementary.LN2_LOW;
import static dev.ebb.ir.math.Elementary.LOG2_E;
import static dev.ebb.ir.math.Elementary.MAGIC;
import static dev.ebb.ir.math.Elementary.MANTISSA;
import static dev.ebb.ir.math.Elementary.ROOT_HALF;
import static dev.ebb.ir.math.Elementary.TANH_FAR;
import static dev.ebb.ir.math.Elementary.TINY;
import static dev.ebb.ir.math.Elementary.TO_ONE;
import static dev.ebb.ir.math.Elementary.TWO_52_BITS;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;

import dev.ebb.ir.math.Elementary;
import dev.ebb.ir.math.Polynomial;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Exponentials and logarithms of f64 vectors, by the rules of {@link F32Math}: steps that IEEE 754
 * fixes to the bit. They are the steps of {@link Elementary}, with the same bits and the same error
 * bounds. Processors without AVX-512 cannot convert a double to a long or shift a long
 * arithmetically, so integers are taken from the low bits of a sum with {@link Elementary#MAGIC}.
 */
public final class F64Math {
    public static final VectorSpecies<Double> LANES = DoubleVector.SPECIES_256;

    // vectors of constants that are made once: a broadcast in place costs C2 more nodes
    static final DoubleVector ALL_MAGIC = all(MAGIC);
    static final DoubleVector ALL_LOG2_E = all(LOG2_E);
    static final DoubleVector LESS_LN2_HIGH = all(-LN2_HIGH);
    static final DoubleVector LESS_LN2_LOW = all(-LN2_LOW);
    static final DoubleVector ONE = all(1);
    static final DoubleVector TWO = all(2);
    static final DoubleVector HALF = all(0.5);
    private static final DoubleVector ALL_TANH_FAR = all(TANH_FAR);
    static final DoubleVector LESS_HALF = all(-0.5);
    private static final LongVector BIAS = LongVector.broadcast(LongVector.SPECIES_256, 1023);
    private static final LongVector FIRST_FACTOR =
            LongVector.broadcast(LongVector.SPECIES_256, 1534);
    private static final LongVector SECOND_FACTOR =
            LongVector.broadcast(LongVector.SPECIES_256, 1535);
    private static final double[] EXP = Polynomial.EXP.coefficients();
    private static final double[] LOG = Polynomial.LOG.coefficients();

    private F64Math() {}

    static DoubleVector all(double x) {
        return DoubleVector.broadcast(LANES, x);
    }

    /** The polynomial with these coefficients, the constant first. */
    static DoubleVector polynomial(double[] c, DoubleVector x) {
        return polynomial(c, x, x.mul(x));
    }

    /**
     * The polynomial with these coefficients, the constant first, where {@code z} is the square of
     * {@code x}. A loop, as C2 unrolls it but would stop inlining a method that calls as many
     * vector operations one by one.
     */
    static DoubleVector polynomial(double[] c, DoubleVector x, DoubleVector z) {
        int last = c.length - 1;
        var high = all(c[last]);
        var other = all(c[last - 1]);
        int i = last - 2;
        for (; i > 0; i -= 2) {
            high = high.fma(z, all(c[i]));
            other = other.fma(z, all(c[i - 1]));
        }
        // the highest power is even where one coefficient is left
        return i == 0 ? other.fma(x, high.fma(z, all(c[0]))) : high.fma(x, other);
    }

    /** e^r - 1 - r for |r| up to ln(2)/2. */
    static DoubleVector beyondLinear(DoubleVector r) {
        var p = polynomial(EXP, r);
        return p.fma(r, HALF).mul(r.mul(r));
    }

    /** 2 to the integer in the low bits of {@code sum}, from -1022 to 1023. */
    static DoubleVector power(LongVector sum) {
        return sum.add(BIAS).lanewise(LSHL, 52).reinterpretAsDoubles();
    }

    /**
     * {@code p} times 2^n in two factors, where {@code t} is n + MAGIC: the first product is exact,
     * the second rounds once, also to a subnormal.
     */
    static DoubleVector scaled(DoubleVector p, DoubleVector t) {
        var half = t.sub(ALL_MAGIC).fma(HALF, ALL_MAGIC).reinterpretAsLongs();
        var rest = t.reinterpretAsLongs().sub(half);
        return p.mul(power(half)).mul(power(rest));
    }

    /** e^x. */
    public static DoubleVector exp(DoubleVector x) {
        var t = x.fma(ALL_LOG2_E, ALL_MAGIC);
        var n = t.sub(ALL_MAGIC);
        var r = n.fma(LESS_LN2_LOW, n.fma(LESS_LN2_HIGH, x));
        var y = scaled(beyondLinear(r).add(r).add(ONE), t);
        y = y.blend(Double.POSITIVE_INFINITY, x.compare(GT, EXP_MOST));
        return y.blend(0, x.compare(LT, EXP_LEAST));
    }

    /** e^x - 1. */
    public static DoubleVector expm1(DoubleVector x) {
        var t = x.fma(ALL_LOG2_E, ALL_MAGIC);
        // half of 2^n, because 2^1024 is not a double
        var s = power(t.reinterpretAsLongs().sub(1));
        var y = lessOne(x, t.sub(ALL_MAGIC), s, s.sub(0.5));
        y = y.add(y);
        y = y.blend(Double.POSITIVE_INFINITY, x.compare(GT, EXP_MOST));
        y = y.blend(-1, x.compare(LT, EXPM1_LEAST));
        return y.blend(x, x.lanewise(ABS).compare(LT, TINY));
    }

    /** {@code s (e^(x - n ln(2)) - 1) + rest}, where s is a power of two. */
    private static DoubleVector lessOne(
            DoubleVector x, DoubleVector n, DoubleVector s, DoubleVector rest) {
        var exact = n.fma(LESS_LN2_HIGH, x);
        var r = n.fma(LESS_LN2_LOW, exact);
        var low = n.fma(LESS_LN2_LOW, exact.sub(r));
        return beyondLinear(r).add(low).fma(s, r.fma(s, rest));
    }

    /** Hyperbolic tangent: u / (u + 2) with u = e^(2|x|) - 1, and the sign of x. */
    public static DoubleVector tanh(DoubleVector x) {
        var a = x.lanewise(ABS);
        // the smaller of both; a vector's min takes several instructions, for the signs of zeros
        var c = a.blend(ALL_TANH_FAR, a.compare(GT, ALL_TANH_FAR));
        c = c.add(c);
        var t = c.fma(ALL_LOG2_E, ALL_MAGIC);
        var s = power(t.reinterpretAsLongs());
        var u = lessOne(c, t.sub(ALL_MAGIC), s, s.sub(ONE));
        var sign = x.reinterpretAsLongs().and(Long.MIN_VALUE);
        return u.div(u.add(TWO)).reinterpretAsLongs().or(sign).reinterpretAsDoubles();
    }

    static DoubleVector withSign(DoubleVector magnitude, DoubleVector of) {
        var sign = of.reinterpretAsLongs().and(Long.MIN_VALUE);
        var bits = magnitude.reinterpretAsLongs().and(Long.MAX_VALUE);
        return bits.or(sign).reinterpretAsDoubles();
    }

    /** log(1 + f) + e ln(2). */
    private static DoubleVector logarithm(DoubleVector f, DoubleVector e) {
        var s = f.div(f.add(TWO));
        var z = s.mul(s);
        var p = polynomial(LOG, z, z.mul(z));
        var half = f.mul(f).mul(0.5);
        var low = e.fma(all(LN2_LOW), s.mul(p.fma(z, half)));
        return e.fma(all(LN2_HIGH), f.sub(half.sub(low)));
    }

    /** log(x). */
    public static DoubleVector log(DoubleVector x) {
        var tiny = x.compare(LT, Double.MIN_NORMAL);
        var bits = x.blend(x.mul(0x1p54), tiny).reinterpretAsLongs().add(TO_ONE);
        var f = bits.and(MANTISSA).add(ROOT_HALF).reinterpretAsDoubles().sub(ONE);
        var e = bits.lanewise(LSHR, 52).or(TWO_52_BITS).reinterpretAsDoubles();
        return ends(logarithm(f, e.sub(all(BIASED).blend(BIASED + 54, tiny))), x, 0);
    }

    /** log(1 + x). */
    public static DoubleVector log1p(DoubleVector x) {
        var biased = x.add(ONE).reinterpretAsLongs().add(TO_ONE).lanewise(LSHR, 52);
        var e = biased.or(TWO_52_BITS).reinterpretAsDoubles().sub(BIASED);
        // (1 + x) 2^-e - 1 with one rounding; the power in two factors, as e may be 1024
        var half = biased.lanewise(LSHR, 1);
        var s = FIRST_FACTOR.sub(half).lanewise(LSHL, 52).reinterpretAsDoubles();
        var rest = SECOND_FACTOR.sub(biased.sub(half)).lanewise(LSHL, 52).reinterpretAsDoubles();
        var f = x.mul(s).fma(rest, s.mul(rest).sub(ONE));
        // tiny numbers, infinity and NaN are their own logarithms
        var plain = x.compare(LT, Double.POSITIVE_INFINITY);
        plain = plain.and(x.lanewise(ABS).compare(GE, TINY));
        var y = x.blend(logarithm(f, e), plain);
        y = y.blend(Double.NEGATIVE_INFINITY, x.compare(EQ, -1));
        return y.blend(Double.NaN, x.compare(LT, -1));
    }

    /**
     * The values of a logarithm with its pole at {@code pole} for which the polynomial does not
     * hold: zero and negative arguments, infinity and NaN.
     */
    private static DoubleVector ends(DoubleVector y, DoubleVector x, double pole) {
        // NaN and infinity are their own logarithms
        var z = x.blend(y, x.compare(LT, Double.POSITIVE_INFINITY));
        z = z.blend(Double.NEGATIVE_INFINITY, x.compare(EQ, pole));
        return z.blend(Double.NaN, x.compare(LT, pole));
    }
}
