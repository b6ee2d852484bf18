package dev.ebb.ir.math;

/**
 * Exponentials, logarithms and powers in double, of steps that IEEE 754 fixes to the bit: sums,
 * products, explicit fused multiply-adds, divisions and operations on the bits. A device takes the
 * same steps in vectors, and so has the same bits.
 *
 * <p>Each is a range reduction and a {@link Polynomial}. Errors in units in the last place: exp
 * 0.95, expm1 1.2, log 0.9, log1p 1.2, tanh 2.5, pow 1. A power is the exponential of y log(x),
 * where the logarithm and the product are sums of two doubles, as their error is multiplied by up
 * to 745.
 */
public final class Elementary {

    /** Adding this rounds a double below 2^51 to an integer, found in the low bits of the sum. */
    public static final double MAGIC = 0x1.8p52;

    public static final double LOG2_E = 0x1.71547652b82fep+0;

    /** The first part has 32 bits, so that its product with an exponent is exact. */
    public static final double LN2_HIGH = 0x1.62e42ff000000p-1;

    public static final double LN2_LOW = -0x1.718432a1b0e26p-35;

    /** Above this exp is infinite; below {@link #EXP_LEAST} it is zero. */
    public static final double EXP_MOST = 0x1.62e42fefa39efp+9;

    public static final double EXP_LEAST = -0x1.74910d52d3052p+9;

    /** Below this expm1 rounds to -1. */
    public static final double EXPM1_LEAST = -38;

    /** Beyond this tanh rounds to 1. */
    public static final double TANH_FAR = 22;

    /** Below this expm1(x) and log1p(x) round to x. */
    public static final double TINY = 0x1p-54;

    /** The bits of sqrt(1/2), where a logarithm's exponent steps, and of 1 less those. */
    public static final long ROOT_HALF = 0x3fe6a09e667f3bcdL;

    public static final long TO_ONE = 0x3ff0000000000000L - ROOT_HALF;
    public static final long MANTISSA = 0x000fffffffffffffL;

    /** With these upper bits an integer below 2^52 is a double: 2^52 and the integer. */
    public static final long TWO_52_BITS = 0x4330000000000000L;

    /** What such a double is for the exponent 0 of a logarithm. */
    public static final double BIASED = 0x1p52 + 1023;

    /** Beyond, a power is infinite or zero. */
    public static final double MOST = 800;

    public static final double TWO_THIRDS = 0x1.5555555555555p-1;
    public static final double TWO_THIRDS_LOW = 0x1.5555555555555p-55;

    private Elementary() {}

    /** e^r - 1 - r for |r| up to ln(2)/2. */
    static double beyondLinear(double r) {
        double p = Polynomial.EXP.at(r);
        return Math.fma(p, r, 0.5) * (r * r);
    }

    /** 2 to the power of an integer from -1022 to 1023, or one that is so in its low 12 bits. */
    private static double power(long n) {
        return Double.longBitsToDouble((n + 1023) << 52);
    }

    /** {@code p} times 2^n in two factors, so that it rounds once; {@code t} is n + MAGIC. */
    static double scaled(double p, double t) {
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
        if (Math.abs(x) < TINY) return x;
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

    /** Hyperbolic tangent: u / (u + 2) with u = e^(2|x|) - 1, and the sign of x. */
    public static double tanh(double x) {
        double a = Math.abs(x);
        double c = a > TANH_FAR ? TANH_FAR : a;
        c = c + c;
        double t = Math.fma(c, LOG2_E, MAGIC);
        double s = power(Double.doubleToRawLongBits(t));
        double u = lessOne(c, t - MAGIC, s, s - 1);
        return Math.copySign(u / (u + 2), x);
    }

    private static double logarithm(double f, double e) {
        double s = f / (f + 2);
        double z = s * s;
        double p = Polynomial.LOG.at(z);
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
        return logarithm(f, (double) ((bits >>> 52) - (tiny ? 1077 : 1023)));
    }

    /** log(1 + x). */
    public static double log1p(double x) {
        if (Math.abs(x) < TINY || Double.isNaN(x) || x == Double.POSITIVE_INFINITY) return x;
        if (x <= -1) return x == -1 ? Double.NEGATIVE_INFINITY : Double.NaN;
        long biased = (Double.doubleToRawLongBits(x + 1) + TO_ONE) >>> 52;
        long half = biased >>> 1;
        double s = Double.longBitsToDouble((1534 - half) << 52);
        double rest = Double.longBitsToDouble((half - biased + 1535) << 52);
        return logarithm(Math.fma(x * s, rest, s * rest - 1), (double) (biased - 1023));
    }

    /** Whether a power is the exponential of a product, without more thought. */
    public static boolean isPlain(double x, double y) {
        return x >= Double.MIN_NORMAL && x <= Double.MAX_VALUE && Math.abs(y) <= Double.MAX_VALUE;
    }

    /**
     * x to the power of y. A negative base has one for whole exponents; zeros, infinities and NaN
     * are as in {@link StrictMath}.
     */
    public static double pow(double x, double y) {
        if (isPlain(x, y)) return positive(x, y, 0);
        double a = Math.abs(x);
        if (a == 0 || !(a <= Double.MAX_VALUE) || !(Math.abs(y) <= Double.MAX_VALUE))
            return StrictMath.pow(x, y);
        if (x < 0 && y != Math.rint(y)) return Double.NaN;
        double p = a < Double.MIN_NORMAL ? positive(a * 0x1p54, y, 54) : positive(a, y, 0);
        boolean odd = x < 0 && Math.abs(y) < 0x1p53 && ((long) y & 1) != 0;
        return odd ? -p : p;
    }

    /** x 2^-shift to the power of y, for a normal x. */
    private static double positive(double x, double y, int shift) {
        long bits = Double.doubleToRawLongBits(x) + TO_ONE;
        double m = Double.longBitsToDouble((bits & MANTISSA) + ROOT_HALF);
        double k = (double) ((bits >>> 52) - 1023 - shift);
        double d = m + 1;
        double inverse = 1 / d;
        double f = m - 1;
        double s = f * inverse;
        double low = Math.fma(-s, m - (d - 1), Math.fma(-s, d, f)) * inverse;
        double z = s * s;
        double zLow = Math.fma(s + s, low, Math.fma(s, s, -z));
        double c = Polynomial.FIFTH.at(z);
        c = c * z;
        double third = c + TWO_THIRDS;
        double thirdLow = TWO_THIRDS - third + c + TWO_THIRDS_LOW;
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
        boolean inside = Math.abs(e) <= MOST;
        double x = Math.min(Math.max(e, -MOST), MOST);
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
