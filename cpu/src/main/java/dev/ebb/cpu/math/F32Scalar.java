package dev.ebb.cpu.math;

import static dev.ebb.cpu.math.F32Math.*;

import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.math.Elementary;
import dev.ebb.ir.math.Special;

/**
 * The functions of {@link F32Math} and {@link F32Waves} for one float, computed by the same steps
 * and so with the same bits.
 */
public final class F32Scalar {
    private F32Scalar() {}

    /**
     * Any function of one float, with the bits of its vector version; a function without one is
     * rounded from double.
     */
    public static float apply(Fn1 fn, float x) {
        return switch (fn) {
            case EXP -> exp(x);
            case EXPM1 -> expm1(x);
            case LOG -> log(x);
            case LOG1P -> log1p(x);
            case TANH -> tanh(x);
            case ERF -> erf(x);
            case SIN -> sin(x);
            case COS -> cos(x);
            default -> (float) fn.apply(x);
        };
    }

    /** Any function of two floats that gives a float. */
    public static float apply(Fn2 fn, float x, float y) {
        return switch (fn) {
            case ADD -> x + y;
            case SUB -> x - y;
            case MUL -> x * y;
            case DIV -> x / y;
            case REM -> x % y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
            case POW -> pow(x, y);
            case ATAN2, HYPOT, POLYGAMMA, EQ, NE, LT, LE, GT, GE, AND, OR, XOR, SHL, SHR, USHR ->
                    (float) fn.apply(x, y);
        };
    }

    /** Whether a power is simply the exponential of a product. */
    static boolean isPlain(float x, float y) {
        return x > 0 && x <= Float.MAX_VALUE && Math.abs(y) <= Float.MAX_VALUE;
    }

    /**
     * x to the power of y. A negative base has a power for integer exponents; zeros, infinities and
     * NaN are handled as in {@link Special}.
     */
    static float pow(float x, float y) {
        if (isPlain(x, y)) return (float) Elementary.exp(y * Elementary.log(x));
        if (!isPlain(-x, y)) return (float) Fn2.POW.apply(x, y);
        if (y != (float) Math.rint(y)) return Float.NaN;
        boolean odd = Math.abs(y) < 0x1p24f && ((int) y & 1) != 0;
        float p = pow(-x, y);
        return odd ? -p : p;
    }

    private static float nearZero(float r) {
        float p = Math.fma(r, E4, E3);
        p = Math.fma(p, r, E2);
        p = Math.fma(p, r, E1);
        p = Math.fma(p, r, E0);
        return Math.fma(p, r * r, r);
    }

    private static float reduced(float x, float n) {
        return Math.fma(n, -LN2_LOW, Math.fma(n, -LN2_HIGH, x));
    }

    private static float power(int n) {
        return Float.intBitsToFloat((n + 127) << 23);
    }

    static float exp(float x) {
        float t = Math.fma(x, LOG2_E, MAGIC);
        float p = nearZero(reduced(x, t - MAGIC)) + 1f;
        int n = Float.floatToRawIntBits(t) - MAGIC_BITS;
        int half = n >> 1;
        float y = p * power(half) * power(n - half);
        if (x >= EXP_MOST) return Float.POSITIVE_INFINITY;
        return x < EXP_LEAST ? 0f : y;
    }

    static float expBounded(float x) {
        float t = Math.fma(x, LOG2_E, MAGIC);
        float p = nearZero(reduced(x, t - MAGIC)) + 1f;
        return Float.intBitsToFloat(
                Float.floatToRawIntBits(p) + (Float.floatToRawIntBits(t) << 23));
    }

    static float expm1(float x) {
        if (Math.abs(x) < 0x1p-25f) return x;
        if (x >= EXP_MOST) return Float.POSITIVE_INFINITY;
        if (x < -18f) return -1f;
        float t = Math.fma(x, LOG2_E, MAGIC);
        float p = nearZero(reduced(x, t - MAGIC));
        float s = power(Float.floatToRawIntBits(t) - (MAGIC_BITS + 1));
        float y = Math.fma(p, s, s - 0.5f);
        return y + y;
    }

    private static float logarithm(float f, float e) {
        float p = Math.fma(f, L8, L7);
        p = Math.fma(p, f, L6);
        p = Math.fma(p, f, L5);
        p = Math.fma(p, f, L4);
        p = Math.fma(p, f, L3);
        p = Math.fma(p, f, L2);
        p = Math.fma(p, f, L1);
        p = Math.fma(p, f, L0);
        float z = f * f;
        p = p * f * z;
        p = Math.fma(e, LN2_LOW, p);
        p = Math.fma(z, -0.5f, p);
        return Math.fma(e, LN2_HIGH, f + p);
    }

    static float log(float x) {
        if (Float.isNaN(x) || x == Float.POSITIVE_INFINITY) return x;
        if (x <= 0) return x == 0 ? Float.NEGATIVE_INFINITY : Float.NaN;
        boolean tiny = x < Float.MIN_NORMAL;
        int bits = Float.floatToRawIntBits(tiny ? x * 0x1p25f : x);
        int e = (bits - ROOT_HALF) >> 23;
        float f = Float.intBitsToFloat(bits - (e << 23)) - 1f;
        return logarithm(f, tiny ? e - 25 : e);
    }

    static float log1p(float x) {
        if (Math.abs(x) < 0x1p-25f || Float.isNaN(x) || x == Float.POSITIVE_INFINITY) return x;
        if (x <= -1) return x == -1 ? Float.NEGATIVE_INFINITY : Float.NaN;
        int e = (Float.floatToRawIntBits(x + 1f) - ROOT_HALF) >> 23;
        float s = power(-(e >> 1));
        float rest = power((e >> 1) - e);
        return logarithm(Math.fma(x * s, rest, s * rest - 1f), e);
    }

    static float tanh(float x) {
        float a = Math.abs(x);
        if (!(a >= TANH_NEAR)) {
            float z = x * x;
            float p = Math.fma(z, T4, T3);
            p = Math.fma(p, z, T2);
            p = Math.fma(p, z, T1);
            p = Math.fma(p, z, T0);
            return Math.copySign(Math.fma(p * z, x, x), x);
        }
        float c = a > TANH_FAR ? TANH_FAR : a;
        return Math.copySign(1f - 2f / (expBounded(c + c) + 1f), x);
    }

    static float erf(float x) {
        float a = Math.abs(x);
        if (!(a >= ERF_NEAR)) {
            float z = x * x;
            float p = Math.fma(z, A6, A5);
            p = Math.fma(p, z, A4);
            p = Math.fma(p, z, A3);
            p = Math.fma(p, z, A2);
            p = Math.fma(p, z, A1);
            p = Math.fma(p, z, A0);
            return Math.fma(p, x, x);
        }
        float c = a > ERF_FAR ? ERF_FAR : a;
        float p = Math.fma(c, C6, C5);
        p = Math.fma(p, c, C4);
        p = Math.fma(p, c, C3);
        p = Math.fma(p, c, C2);
        p = Math.fma(p, c, C1);
        p = Math.fma(p, c, C0);
        return Math.copySign(1f - expBounded(p * c), x);
    }

    static float sin(float x) {
        if (!(Math.abs(x) <= F32Waves.FAR)) return (float) Fn1.SIN.apply(x);
        if (Math.abs(x) < 0x1p-13f) return x;
        float t = Math.fma(x, F32Waves.TWO_OVER_PI, MAGIC);
        return wave(x, t - MAGIC, Float.floatToRawIntBits(t));
    }

    static float cos(float x) {
        if (!(Math.abs(x) <= F32Waves.FAR)) return (float) Fn1.COS.apply(x);
        float t = Math.fma(x, F32Waves.TWO_OVER_PI, MAGIC);
        return wave(x, t - MAGIC, Float.floatToRawIntBits(t) + 1);
    }

    private static float wave(float x, float n, int turns) {
        float r = Math.fma(n, -F32Waves.HALF_PI_1, x);
        r = Math.fma(n, -F32Waves.HALF_PI_3, Math.fma(n, -F32Waves.HALF_PI_2, r));
        float z = r * r;
        float s =
                Math.fma(Math.fma(Math.fma(z, F32Waves.S2, F32Waves.S1), z, F32Waves.S0) * z, r, r);
        float c = Math.fma(Math.fma(z, F32Waves.C2, F32Waves.C1), z, F32Waves.C0);
        c = Math.fma(c, z * z, Math.fma(z, -0.5f, 1f));
        float y = (turns & 1) != 0 ? c : s;
        return Float.intBitsToFloat(Float.floatToRawIntBits(y) ^ ((turns & 2) << 30));
    }
}
