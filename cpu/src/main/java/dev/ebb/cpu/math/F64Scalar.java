package dev.ebb.cpu.math;

import static dev.ebb.cpu.math.F64Math.*;

import dev.ebb.ir.Scalar.Fn1;
import dev.ebb.ir.Scalar.Fn2;
import dev.ebb.ir.math.Special;

/**
 * The functions of {@link F64Math}, {@link F64Waves}, {@link F64Error} and {@link F64Power} for one
 * double: the same steps, hence the same bits. What has no vector version is that of {@link
 * Special}.
 */
public final class F64Scalar {
    private F64Scalar() {}

    /** Any function of one double that gives a double. */
    public static double apply(Fn1 fn, double x) {
        return switch (fn) {
            case EXP -> exp(x);
            case EXPM1 -> expm1(x);
            case LOG -> log(x);
            case LOG1P -> log1p(x);
            case SIN -> sin(x);
            case COS -> cos(x);
            case TAN -> tan(x);
            case ATAN -> atan(x);
            case TANH -> tanh(x);
            case ERF -> erf(x);
            case ERFC -> erfc(x);
            case NEG,
                    ABS,
                    SIGN,
                    FLOOR,
                    CEIL,
                    ROUND,
                    SQRT,
                    LOG2,
                    ASIN,
                    ACOS,
                    SINH,
                    COSH,
                    ASINH,
                    ACOSH,
                    ATANH,
                    ERFINV,
                    LGAMMA,
                    NOT,
                    IS_NAN ->
                    Special.apply(fn, x);
        };
    }

    /** Any function of two doubles that gives a double. */
    public static double apply(Fn2 fn, double x, double y) {
        return fn == Fn2.POW ? pow(x, y) : Special.apply(fn, x, y);
    }

    private static double polynomial(double[] c, double x) {
        double p = c[c.length - 1];
        for (int i = c.length - 2; i >= 0; i--) p = Math.fma(p, x, c[i]);
        return p;
    }

    private static double beyondLinear(double r) {
        double p = polynomial(EXP, r);
        return Math.fma(p, r, 0.5) * (r * r);
    }

    /** 2 to the power of an integer from -1022 to 1023, or one that is so in its low 12 bits. */
    private static double power(long n) {
        return Double.longBitsToDouble((n + 1023) << 52);
    }

    private static double scaled(double p, double t) {
        long half = Double.doubleToRawLongBits(Math.fma(t - MAGIC, 0.5, MAGIC));
        long rest = Double.doubleToRawLongBits(t) - half;
        return p * power(half) * power(rest);
    }

    /** e^x. */
    public static double exp(double x) {
        if (x > EXP_MOST) return Double.POSITIVE_INFINITY;
        if (x < EXP_LEAST) return 0;
        double t = Math.fma(x, LOG2_E, MAGIC);
        double n = t - MAGIC;
        double r = Math.fma(n, -LN2_LOW, Math.fma(n, -LN2_HIGH, x));
        return scaled(beyondLinear(r) + r + 1, t);
    }

    /** e^x - 1. */
    public static double expm1(double x) {
        if (Math.abs(x) < F64Math.TINY) return x;
        if (x > EXP_MOST) return Double.POSITIVE_INFINITY;
        if (x < EXPM1_LEAST) return -1;
        double t = Math.fma(x, LOG2_E, MAGIC);
        double s = power(Double.doubleToRawLongBits(t) - 1);
        double y = lessOne(x, t - MAGIC, s, s - 0.5);
        return y + y;
    }

    private static double lessOne(double x, double n, double s, double rest) {
        double exact = Math.fma(n, -LN2_HIGH, x);
        double r = Math.fma(n, -LN2_LOW, exact);
        double low = Math.fma(n, -LN2_LOW, exact - r);
        return Math.fma(beyondLinear(r) + low, s, Math.fma(r, s, rest));
    }

    /** Hyperbolic tangent. */
    public static double tanh(double x) {
        double a = Math.abs(x);
        double c = (a > TANH_FAR ? TANH_FAR : a) * -2;
        double t = Math.fma(c, LOG2_E, MAGIC);
        double s = power(Double.doubleToRawLongBits(t));
        double y;
        if (a >= TANH_NEAR) {
            double u = lessOne(c, t - MAGIC, s, s);
            y = 1 - (u + u) / (u + 1);
        } else {
            double u = lessOne(c, t - MAGIC, s, s - 1);
            y = -u / (u + 2);
        }
        return Math.copySign(y, x);
    }

    private static double logarithm(double f, double e) {
        double s = f / (f + 2);
        double z = s * s;
        double p = polynomial(LOG, z);
        double half = f * f * 0.5;
        double low = Math.fma(e, LN2_LOW, s * Math.fma(p, z, half));
        return Math.fma(e, LN2_HIGH, f - (half - low));
    }

    /** log(x). */
    public static double log(double x) {
        if (Double.isNaN(x) || x == Double.POSITIVE_INFINITY) return x;
        if (x <= 0) return x == 0 ? Double.NEGATIVE_INFINITY : Double.NaN;
        boolean tiny = x < Double.MIN_NORMAL;
        long bits = Double.doubleToRawLongBits(tiny ? x * 0x1p54 : x) + TO_ONE;
        double f = Double.longBitsToDouble((bits & MANTISSA) + ROOT_HALF) - 1;
        return logarithm(f, (bits >>> 52) - (tiny ? 1077 : 1023));
    }

    /** log(1 + x). */
    public static double log1p(double x) {
        if (Math.abs(x) < F64Math.TINY || Double.isNaN(x) || x == Double.POSITIVE_INFINITY)
            return x;
        if (x <= -1) return x == -1 ? Double.NEGATIVE_INFINITY : Double.NaN;
        long biased = (Double.doubleToRawLongBits(x + 1) + TO_ONE) >>> 52;
        long half = biased >>> 1;
        double s = Double.longBitsToDouble((1534 - half) << 52);
        double rest = Double.longBitsToDouble((half - biased + 1535) << 52);
        return logarithm(Math.fma(x * s, rest, s * rest - 1), biased - 1023);
    }

    /** sin(x). */
    public static double sin(double x) {
        if (!(Math.abs(x) <= F64Waves.FAR)) return Special.apply(Fn1.SIN, x);
        if (Math.abs(x) < F64Waves.TINY) return x;
        return wave(x, 0);
    }

    /** cos(x). */
    public static double cos(double x) {
        if (!(Math.abs(x) <= F64Waves.FAR)) return Special.apply(Fn1.COS, x);
        return wave(x, 1);
    }

    private static double wave(double x, int more) {
        double t = Math.fma(x, F64Waves.TWO_OVER_PI, MAGIC);
        double n = t - MAGIC;
        double exact = Math.fma(n, -F64Waves.HALF_PI_1, x);
        double second = n * F64Waves.HALF_PI_2;
        double first = exact - second;
        double rest = rest(n, exact, second, first);
        double r = first + rest;
        double low = first - r + rest;
        long turns = Double.doubleToRawLongBits(t) + more;
        double y = (turns & 1) != 0 ? cosine(r, low) : sine(r, low);
        return Double.longBitsToDouble(Double.doubleToRawLongBits(y) ^ ((turns & 2) << 62));
    }

    private static double rest(double n, double exact, double second, double first) {
        double back = first - exact;
        double lost = exact - (first - back) - (second + back);
        return lost - Math.fma(n, F64Waves.HALF_PI_3, Math.fma(n, F64Waves.HALF_PI_2, -second));
    }

    /** tan(x). */
    public static double tan(double x) {
        if (!(Math.abs(x) <= F64Waves.FAR)) return Special.apply(Fn1.TAN, x);
        if (Math.abs(x) < F64Waves.TINY) return x;
        double t = Math.fma(x, F64Waves.TWO_OVER_PI, MAGIC);
        double n = t - MAGIC;
        double exact = Math.fma(n, -F64Waves.HALF_PI_1, x);
        double second = n * F64Waves.HALF_PI_2;
        double first = exact - second;
        double rest = rest(n, exact, second, first);
        double r = first + rest;
        double low = first - r + rest;
        boolean odd = (Double.doubleToRawLongBits(t) & 1) != 0;
        double s = sine(r, low);
        double c = cosine(r, low);
        return odd ? -c / s : s / c;
    }

    private static double sine(double r, double low) {
        double z = r * r;
        double most = Math.fma(z, -0.5, 1);
        double p = polynomial(F64Waves.SINE, z);
        return Math.fma(p, z * r, low * most) + r;
    }

    private static double cosine(double r, double low) {
        double z = r * r;
        double most = Math.fma(z, -0.5, 1);
        double p = polynomial(F64Waves.COSINE, z);
        double lost = Math.fma(z, -0.5, 1 - most);
        return Math.fma(p * z, z, lost - r * low) + most;
    }

    /** atan(x). */
    public static double atan(double x) {
        double a = Math.abs(x);
        boolean middle = a >= F64Waves.ATAN_NEAR;
        boolean far = a >= F64Waves.ATAN_FAR;
        double t = far ? -1 / a : middle ? (a - 1) / (a + 1) : a / 1;
        double z = t * t;
        double p = polynomial(F64Waves.ATAN, z);
        double base = far ? F64Waves.HALF_PI_1 : middle ? F64Waves.HALF_PI_1 / 2 : 0;
        double rest = far ? F64Waves.HALF_PI_2 : middle ? F64Waves.HALF_PI_2 / 2 : 0;
        return Math.copySign(Math.fma(p, z * t, rest) + t + base, x);
    }

    private static double near(double x) {
        double z = x * x;
        double p = polynomial(F64Error.ERF_NEAR, z);
        return Math.fma(p, x, x);
    }

    private static double complement(double x) {
        double square = x * x;
        double t = Math.fma(square, -LOG2_E, MAGIC);
        double n = t - MAGIC;
        double r = Math.fma(n, -LN2_LOW, Math.fma(n, -LN2_HIGH, -square));
        double e = beyondLinear(r) + r + 1;
        double u = (x - 4) / (x + 4);
        double p = polynomial(F64Error.ERFCX, u);
        double gauss = Math.fma(Math.fma(-x, x, square), e, e);
        return scaled(gauss * (p / Math.fma(x, 2, 1)), t);
    }

    /** The error function. */
    public static double erf(double x) {
        double a = Math.abs(x);
        if (!(a >= F64Error.NEAR)) return near(x);
        return Math.copySign(1 - complement(a > F64Error.ERF_FAR ? F64Error.ERF_FAR : a), x);
    }

    /** 1 - erf(x), to its own last places. */
    public static double erfc(double x) {
        double a = Math.abs(x);
        if (!(a >= F64Error.NEAR)) return 1 - near(x);
        double far = complement(a > F64Error.ERFC_FAR ? F64Error.ERFC_FAR : a);
        return x < 0 ? 2 - far : far;
    }

    /** Whether a power is the exponential of a product, without more thought. */
    static boolean isPlain(double x, double y) {
        return x >= Double.MIN_NORMAL && x <= Double.MAX_VALUE && Math.abs(y) <= Double.MAX_VALUE;
    }

    /**
     * x to the power of y. A negative base has one for whole exponents; zeros, infinities and NaN
     * are as in {@link Special}.
     */
    public static double pow(double x, double y) {
        if (isPlain(x, y)) return positive(x, y, 0);
        double a = Math.abs(x);
        if (a == 0 || !(a <= Double.MAX_VALUE) || !(Math.abs(y) <= Double.MAX_VALUE))
            return Special.apply(Fn2.POW, x, y);
        if (x < 0 && y != Math.rint(y)) return Double.NaN;
        double p = a < Double.MIN_NORMAL ? positive(a * 0x1p54, y, 54) : positive(a, y, 0);
        boolean odd = x < 0 && Math.abs(y) < 0x1p53 && ((long) y & 1) != 0;
        return odd ? -p : p;
    }

    /** x 2^-shift to the power of y, for a normal x. */
    private static double positive(double x, double y, int shift) {
        long bits = Double.doubleToRawLongBits(x) + TO_ONE;
        double m = Double.longBitsToDouble((bits & MANTISSA) + ROOT_HALF);
        double k = (bits >>> 52) - 1023 - shift;
        double d = m + 1;
        double inverse = 1 / d;
        double f = m - 1;
        double s = f * inverse;
        double low = Math.fma(-s, m - (d - 1), Math.fma(-s, d, f)) * inverse;
        double z = s * s;
        double zLow = Math.fma(s + s, low, Math.fma(s, s, -z));
        double c = polynomial(F64Power.FIFTH, z);
        c = c * z;
        double third = c + F64Power.TWO_THIRDS;
        double thirdLow = F64Power.TWO_THIRDS - third + c + F64Power.TWO_THIRDS_LOW;
        double p = z * third;
        double pLow = Math.fma(z, third, -p) + Math.fma(z, thirdLow, zLow * third);
        double u = s * p;
        double uLow = Math.fma(s, p, -u) + Math.fma(s, pLow, low * p);
        double twice = s + s;
        double h = twice + u;
        double l = twice - h + u + (uLow + (low + low));
        double whole = k * LN2_HIGH;
        double log = whole + h;
        double logLow = whole - log + h + Math.fma(k, LN2_LOW, l);
        double e = y * log;
        return exp(e, Math.fma(y, logLow, Math.fma(y, log, -e)));
    }

    private static double exp(double e, double low) {
        boolean inside = Math.abs(e) <= F64Power.MOST;
        double x = Math.min(Math.max(e, -F64Power.MOST), F64Power.MOST);
        double t = Math.fma(x, LOG2_E, MAGIC);
        double n = t - MAGIC;
        double exact = Math.fma(n, -LN2_HIGH, x);
        double first = Math.fma(n, -LN2_LOW, exact);
        double rest = Math.fma(n, -LN2_LOW, exact - first) + (inside ? low : 0);
        double r = first + rest;
        double q = beyondLinear(r) + (first - r + rest);
        return scaled(q + r + 1, t);
    }
}
