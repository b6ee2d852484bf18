package dev.ebb.cpu.math;

import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Elementary functions of f32 vectors, made of steps that IEEE 754 fixes to the bit: sums,
 * products, explicit fused multiply-adds, divisions, integer operations and selects. The JDK's own
 * vector operators give other bits once they are JIT-compiled; these functions give the same bits
 * in the interpreter, in every compiler tier, in every lane, and in the scalar version {@link
 * F32Scalar}.
 *
 * <p>Each is a range reduction and a polynomial, the latter fitted with Remez' exchange (relative
 * error below 2^-27) and rounded to float. Errors are at most two units in the last place, mostly
 * below one; {@code F32MathTest} states them. Every method stays below the 325 bytes of bytecode
 * beyond which C2 would not inline it and box its vectors.
 */
public final class F32Math {
    public static final VectorSpecies<Float> LANES = FloatVector.SPECIES_256;

    /**
     * Adding this rounds a float below 2^22 to an integer, which is then in the low bits of the
     * sum.
     */
    public static final float MAGIC = 0x1.8p23f;

    static final int MAGIC_BITS = 0x4b400000;
    public static final float LOG2_E = 0x1.715476p+0f;
    public static final float LN2_HIGH = 0x1.62e4p-1f;
    public static final float LN2_LOW = 0x1.7f7d1cp-20f;

    /** From this argument on exp is infinite; below {@link #EXP_LEAST} it is zero. */
    static final float EXP_MOST = 88.72284f;

    static final float EXP_LEAST = -103.97208f;

    /** (e^r - 1 - r) / r^2 for |r| up to ln(2)/2. */
    public static final float E0 = 0.5f;

    public static final float E1 = 0x1.55548ep-3f;
    public static final float E2 = 0x1.55545cp-5f;
    public static final float E3 = 0x1.123c4ep-7f;
    public static final float E4 = 0x1.6db558p-10f;

    /** (log(1 + f) - f + f^2/2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2). */
    static final float L0 = 0x1.555546p-2f;

    static final float L1 = -0x1.ffffeep-3f;
    static final float L2 = 0x1.99a4dap-3f;
    static final float L3 = -0x1.5562b2p-3f;
    static final float L4 = 0x1.2339dep-3f;
    static final float L5 = -0x1.fb5002p-4f;
    static final float L6 = 0x1.e5ff04p-4f;
    static final float L7 = -0x1.e2892cp-4f;
    static final float L8 = 0x1.1b7bb6p-4f;

    /** The bits of sqrt(1/2), at which a logarithm's exponent changes. */
    static final int ROOT_HALF = 0x3f3504f3;

    /** (tanh(x)/x - 1) / x^2 below {@link #TANH_NEAR}. */
    static final float T0 = -0x1.555534p-2f;

    static final float T1 = 0x1.110788p-3f;
    static final float T2 = -0x1.b847bcp-5f;
    static final float T3 = 0x1.526a46p-6f;
    static final float T4 = -0x1.76f90ap-8f;
    static final float TANH_NEAR = 0.625f;
    static final float TANH_FAR = 9.5f;

    /** erf(x)/x - 1 in x^2 below {@link #ERF_NEAR}. */
    static final float A0 = 0x1.06eba8p-3f;

    static final float A1 = -0x1.812744p-2f;
    static final float A2 = 0x1.ce2e60p-4f;
    static final float A3 = -0x1.b8162ap-6f;
    static final float A4 = 0x1.5513f2p-8f;
    static final float A5 = -0x1.acf7f0p-11f;
    static final float A6 = 0x1.6625p-14f;

    /** log(erfc(x))/x from {@link #ERF_NEAR} to 4, where erf rounds to 1. */
    static final float C0 = -0x1.20ee9ep+0f;

    static final float C1 = -0x1.45367ep-1f;
    static final float C2 = -0x1.b2f1f8p-4f;
    static final float C3 = 0x1.84a254p-6f;
    static final float C4 = -0x1.dadf86p-9f;
    static final float C5 = 0x1.4d879ap-12f;
    static final float C6 = -0x1.693790p-17f;
    static final float ERF_NEAR = 0.9f;
    static final float ERF_FAR = 4f;

    private F32Math() {}

    private static FloatVector all(float x) {
        return FloatVector.broadcast(LANES, x);
    }

    /** e^r - 1 for |r| up to ln(2)/2. */
    private static FloatVector nearZero(FloatVector r) {
        var p = r.fma(all(E4), all(E3));
        p = p.fma(r, all(E2)).fma(r, all(E1)).fma(r, all(E0));
        return p.fma(r.mul(r), r);
    }

    /** {@code x - n ln(2)}. */
    private static FloatVector reduced(FloatVector x, FloatVector n) {
        return n.fma(all(-LN2_LOW), n.fma(all(-LN2_HIGH), x));
    }

    /** e^x. */
    public static FloatVector exp(FloatVector x) {
        var t = x.fma(all(LOG2_E), all(MAGIC));
        var p = nearZero(reduced(x, t.sub(MAGIC))).add(1f);
        // 2^n in two factors: the first product is exact, the second rounds once, also to a
        // denormal
        var n = t.reinterpretAsInts().sub(MAGIC_BITS);
        var half = n.lanewise(ASHR, 1);
        var y = p.mul(power(half)).mul(power(n.sub(half)));
        y = y.blend(Float.POSITIVE_INFINITY, x.compare(GE, EXP_MOST));
        return y.blend(0f, x.compare(LT, EXP_LEAST));
    }

    /**
     * e^x for arguments that are known to be in [-87, 88] and not NaN: takes half the time of
     * {@link #exp}, with the same bits.
     */
    static FloatVector expBounded(FloatVector x) {
        var t = x.fma(all(LOG2_E), all(MAGIC));
        var p = nearZero(reduced(x, t.sub(MAGIC))).add(1f);
        // the shift also removes the magic number's own bits
        var exponent = t.reinterpretAsInts().lanewise(LSHL, 23);
        return p.reinterpretAsInts().add(exponent).reinterpretAsFloats();
    }

    private static FloatVector power(IntVector n) {
        return n.add(127).lanewise(LSHL, 23).reinterpretAsFloats();
    }

    /** e^x - 1. */
    public static FloatVector expm1(FloatVector x) {
        var t = x.fma(all(LOG2_E), all(MAGIC));
        var p = nearZero(reduced(x, t.sub(MAGIC)));
        // half of 2^n, because 2^128 is not a float
        var s = power(t.reinterpretAsInts().sub(MAGIC_BITS + 1));
        var y = p.fma(s, s.sub(0.5f));
        y = y.add(y);
        y = y.blend(Float.POSITIVE_INFINITY, x.compare(GE, EXP_MOST));
        y = y.blend(-1f, x.compare(LT, -18f));
        return y.blend(x, x.lanewise(ABS).compare(LT, 0x1p-25f));
    }

    /** (log(1 + f) - f + f^2/2) / f^3. */
    private static FloatVector logarithm(FloatVector f) {
        var p = f.fma(all(L8), all(L7));
        p = p.fma(f, all(L6)).fma(f, all(L5)).fma(f, all(L4)).fma(f, all(L3));
        return p.fma(f, all(L2)).fma(f, all(L1)).fma(f, all(L0));
    }

    /** log(1 + f) + e ln(2). */
    private static FloatVector logarithm(FloatVector f, FloatVector e) {
        var z = f.mul(f);
        var p = logarithm(f).mul(f).mul(z);
        p = e.fma(all(LN2_LOW), p);
        p = z.fma(all(-0.5f), p);
        return e.fma(all(LN2_HIGH), f.add(p));
    }

    /** log(x). */
    public static FloatVector log(FloatVector x) {
        var tiny = x.compare(LT, Float.MIN_NORMAL);
        var bits = x.blend(x.mul(0x1p25f), tiny).reinterpretAsInts();
        var e = bits.sub(ROOT_HALF).lanewise(ASHR, 23);
        var f = bits.sub(e.lanewise(LSHL, 23)).reinterpretAsFloats().sub(1f);
        var scale = all(MAGIC).blend(MAGIC + 25f, tiny);
        var y = logarithm(f, e.add(MAGIC_BITS).reinterpretAsFloats().sub(scale));
        return ends(y, x, 0f);
    }

    /** log(1 + x). */
    public static FloatVector log1p(FloatVector x) {
        var e = x.add(1f).reinterpretAsInts().sub(ROOT_HALF).lanewise(ASHR, 23);
        // (1 + x) 2^-e - 1 with one rounding; the power in two factors, as e may be 128
        var half = e.lanewise(ASHR, 1);
        var s = power(half.neg());
        var rest = power(half.sub(e));
        var f = x.mul(s).fma(rest, s.mul(rest).sub(1f));
        var y = logarithm(f, e.add(MAGIC_BITS).reinterpretAsFloats().sub(MAGIC));
        y = ends(y, x, -1f);
        return y.blend(x, x.lanewise(ABS).compare(LT, 0x1p-25f));
    }

    /**
     * The values of a logarithm with its pole at {@code pole} for which the polynomial does not
     * hold: zero and negative arguments, infinity and NaN.
     */
    private static FloatVector ends(FloatVector y, FloatVector x, float pole) {
        var z = y.blend(x, x.compare(NE, x)).blend(x, x.compare(EQ, Float.POSITIVE_INFINITY));
        z = z.blend(Float.NEGATIVE_INFINITY, x.compare(EQ, pole));
        return z.blend(Float.NaN, x.compare(LT, pole));
    }

    private static FloatVector withSign(FloatVector magnitude, FloatVector of) {
        var sign = of.reinterpretAsInts().and(0x80000000);
        return magnitude.reinterpretAsInts().or(sign).reinterpretAsFloats();
    }

    /** Hyperbolic tangent: a polynomial near zero, 1 - 2 / (e^2x + 1) beyond. */
    public static FloatVector tanh(FloatVector x) {
        var a = x.lanewise(ABS);
        var c = a.blend(TANH_FAR, a.compare(GT, TANH_FAR));
        var far = all(1f).sub(all(2f).div(expBounded(c.add(c)).add(1f)));
        var z = x.mul(x);
        var p = z.fma(all(T4), all(T3));
        p = p.fma(z, all(T2)).fma(z, all(T1)).fma(z, all(T0));
        var near = p.mul(z).fma(x, x);
        // a NaN is in neither range and takes the polynomial, which keeps it
        return withSign(near.blend(far, a.compare(GE, TANH_NEAR)), x);
    }

    /** The error function: a polynomial near zero, 1 - exp(log erfc) beyond. */
    public static FloatVector erf(FloatVector x) {
        var a = x.lanewise(ABS);
        var c = a.blend(ERF_FAR, a.compare(GT, ERF_FAR));
        var far = all(1f).sub(expBounded(logErfc(c).mul(c)));
        var z = x.mul(x);
        var p = z.fma(all(A6), all(A5));
        p = p.fma(z, all(A4)).fma(z, all(A3)).fma(z, all(A2)).fma(z, all(A1)).fma(z, all(A0));
        return withSign(p.fma(x, x).blend(far, a.compare(GE, ERF_NEAR)), x);
    }

    private static FloatVector logErfc(FloatVector a) {
        var p = a.fma(all(C6), all(C5));
        p = p.fma(a, all(C4)).fma(a, all(C3)).fma(a, all(C2));
        return p.fma(a, all(C1)).fma(a, all(C0));
    }

    /** The lanes whose magnitude is at most {@code bound}; a NaN is beyond. */
    static VectorMask<Float> within(FloatVector x, float bound) {
        return x.lanewise(ABS).compare(LE, bound);
    }
}
