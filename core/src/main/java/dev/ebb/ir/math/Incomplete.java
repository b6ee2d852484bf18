package dev.ebb.ir.math;

/**
 * The regularised incomplete gamma and beta functions in double: power series on the near side of
 * the mean, continued fractions (evaluated by Lentz's method) on the far side, so that the smaller
 * tail keeps its relative precision; the larger is one less the smaller, so that its error is
 * absolute. The relative error of what is computed directly is about 1e-14, and a few units in the
 * last place times the parameters and the logarithm of the value. Of the beta function beyond its
 * mean, {@code (a + 1) / (a + b + 2)}, values near 0 are such a difference.
 */
public final class Incomplete {
    private static final double EPSILON = 0x1p-54;
    static final double TINY = 1e-300;
    private static final double FRACTION_BEGIN = 0.3;
    private static final int LIMIT = 1_000_000;

    private Incomplete() {}

    /** The share of the gamma distribution of shape {@code a} below {@code x}. */
    public static double gammaLower(double a, double x) {
        if (!(a > 0 && x >= 0) || Double.isInfinite(a)) return Double.NaN;
        if (x == 0) return 0;
        if (Double.isInfinite(x)) return 1;
        return isNear(a, x) ? series(a, x) : 1 - fraction(a, x);
    }

    /** The share of the gamma distribution of shape {@code a} above {@code x}. */
    public static double gammaUpper(double a, double x) {
        if (!(a > 0 && x >= 0) || Double.isInfinite(a)) return Double.NaN;
        if (x == 0) return 1;
        if (Double.isInfinite(x)) return 0;
        return isNear(a, x) ? 1 - series(a, x) : fraction(a, x);
    }

    /** Whether the series is the way: where the fraction would converge slowly, or above it. */
    static boolean isNear(double a, double x) {
        return x < Math.max(a, FRACTION_BEGIN);
    }

    /** {@code x^a exp(-x) / gamma(a)}. */
    private static double front(double a, double x) {
        return Elementary.exp(a * Elementary.log(x) - x - GammaFunctions.lgamma(a));
    }

    private static double series(double a, double x) {
        double term = 1 / a;
        double sum = term;
        for (int n = 1; n < LIMIT && term > sum * EPSILON; n++) {
            term *= x / (a + n);
            sum += term;
        }
        return front(a, x) * sum;
    }

    private static double fraction(double a, double x) {
        double b = x + 1 - a;
        double c = 1 / TINY;
        double d = 1 / b;
        double h = d;
        for (int n = 1; n < LIMIT; n++) {
            double top = -n * (n - a);
            b += 2;
            d = 1 / away(top * d + b);
            c = away(b + top / c);
            double step = c * d;
            h *= step;
            if (Math.abs(step - 1) <= EPSILON * 4) break;
        }
        return front(a, x) * h;
    }

    /** {@code x}, or a tiny number where it is too near zero to divide by. */
    static double away(double x) {
        return Math.abs(x) < TINY ? TINY : x;
    }

    /** The share of the beta distribution of shapes {@code a} and {@code b} below {@code x}. */
    public static double beta(double a, double b, double x) {
        boolean fine = a > 0 && b > 0 && x >= 0 && x <= 1;
        if (!fine || Double.isInfinite(a) || Double.isInfinite(b)) return Double.NaN;
        if (x == 0 || x == 1) return x;
        return x < (a + 1) / (a + b + 2) ? share(a, b, x) : 1 - share(b, a, 1 - x);
    }

    private static double share(double a, double b, double x) {
        double size =
                GammaFunctions.lgamma(a + b) - GammaFunctions.lgamma(a) - GammaFunctions.lgamma(b);
        double front = a * Elementary.log(x) + b * Elementary.log1p(-x) + size;
        double c = 1;
        double d = 1 / away(1 - (a + b) * x / (a + 1));
        double h = d;
        for (int m = 1; m < LIMIT; m++) {
            double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 / away(1 + even * d);
            c = away(1 + even / c);
            h *= c * d;
            double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 / away(1 + odd * d);
            c = away(1 + odd / c);
            double step = c * d;
            h *= step;
            if (Math.abs(step - 1) <= EPSILON * 4) break;
        }
        return Elementary.exp(front) * h / a;
    }
}
