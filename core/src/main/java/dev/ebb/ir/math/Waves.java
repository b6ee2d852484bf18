package dev.ebb.ir.math;

/**
 * Sine, cosine, tangent and its inverse in double, by the rules of {@link Elementary}. The argument
 * of a wave is reduced by the nearest multiple n of pi/2, which is subtracted in three parts of 53
 * bits after Cody and Waite: the first difference is exact, as n is rounded from the argument, and
 * what the second rounds off is kept as a low part. That holds up to {@link #FAR}; what lies beyond
 * is left to StrictMath.
 *
 * <p>Errors in units in the last place: sin and cos 0.9, tan 2.2, atan 1.1.
 */
public final class Waves {
    public static final double FAR = 0x1p30;

    public static final double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
    public static final double HALF_PI_1 = 0x1.921fb54442d18p+0;
    public static final double HALF_PI_2 = 0x1.1a62633145c07p-54;
    public static final double HALF_PI_3 = -0x1.f1976b7ed8fbcp-110;

    /** tan(pi/8) and tan(3 pi/8): between them atan is taken from pi/4, beyond from pi/2. */
    public static final double ATAN_NEAR = 0x1.a827999fcef32p-2;

    public static final double ATAN_FAR = 0x1.3504f333f9de6p+1;

    private Waves() {}

    /** sin(x). */
    public static double sin(double x) {
        if (!(Math.abs(x) <= FAR)) return StrictMath.sin(x);
        return wave(x, 0);
    }

    /** cos(x). */
    public static double cos(double x) {
        if (!(Math.abs(x) <= FAR)) return StrictMath.cos(x);
        return wave(x, 1);
    }

    private static double wave(double x, int more) {
        double t = Math.fma(x, TWO_OVER_PI, Elementary.MAGIC);
        double n = t - Elementary.MAGIC;
        double exact = Math.fma(n, -HALF_PI_1, x);
        double second = n * -HALF_PI_2;
        double first = exact + second;
        double rest = rest(n, exact, second, first);
        double r = first + rest;
        double lessLow = r - first - rest;
        long turns = Double.doubleToRawLongBits(t) + more;
        double y = (turns & 1) != 0 ? cosine(r, lessLow) : sine(r, lessLow);
        return Double.longBitsToDouble(Double.doubleToRawLongBits(y) ^ ((turns & 2) << 62));
    }

    /**
     * What rounding took from {@code first = exact + second}, and the third part of n pi/2. The
     * difference of both sums is exact, as {@code exact} is a multiple of the last place of {@code
     * second}. Zeros have the signs by which the sine of -0 is -0.
     */
    private static double rest(double n, double exact, double second, double first) {
        double lost = second - (first - exact);
        return lost - Math.fma(n, HALF_PI_3, Math.fma(n, HALF_PI_2, second));
    }

    /** tan(x). */
    public static double tan(double x) {
        if (!(Math.abs(x) <= FAR)) return StrictMath.tan(x);
        double t = Math.fma(x, TWO_OVER_PI, Elementary.MAGIC);
        double n = t - Elementary.MAGIC;
        double exact = Math.fma(n, -HALF_PI_1, x);
        double second = n * -HALF_PI_2;
        double first = exact + second;
        double rest = rest(n, exact, second, first);
        double r = first + rest;
        double lessLow = r - first - rest;
        boolean odd = (Double.doubleToRawLongBits(t) & 1) != 0;
        double s = sine(r, lessLow);
        double c = cosine(r, lessLow);
        return odd ? -c / s : s / c;
    }

    private static double sine(double r, double lessLow) {
        double z = r * r;
        double most = Math.fma(z, -0.5, 1);
        double p = Polynomial.SINE.at(z);
        return r - Math.fma(p, z * r, lessLow * most);
    }

    private static double cosine(double r, double lessLow) {
        double z = r * r;
        double most = Math.fma(z, -0.5, 1);
        double p = Polynomial.COSINE.at(z);
        double lost = Math.fma(z, -0.5, 1 - most);
        return Math.fma(p, z * z, Math.fma(r, lessLow, lost)) + most;
    }

    /** atan(x). */
    public static double atan(double x) {
        double a = Math.abs(x);
        boolean middle = a >= ATAN_NEAR;
        boolean far = a >= ATAN_FAR;
        double t = far ? -1 / a : middle ? (a - 1) / (a + 1) : a / 1;
        double z = t * t;
        double p = Polynomial.ATAN.at(z);
        double base = far ? HALF_PI_1 : middle ? HALF_PI_1 / 2 : 0;
        double rest = far ? HALF_PI_2 : middle ? HALF_PI_2 / 2 : 0;
        return Math.copySign(Math.fma(p, z * t, rest) + t + base, x);
    }
}
