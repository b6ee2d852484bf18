package dev.ebb.ir.math;

/**
 * The derivatives of the regularised incomplete gamma and beta functions by their shapes, in
 * double: the power series of {@link Incomplete} differentiated term by term, and its continued
 * fractions with the derivative of every step beside the step. Both parts of a derivative have the
 * same sign where a series or a fraction is used, so nothing cancels: the relative error is about
 * 1e-14, and some units in the last place times the parameters and the logarithm of the value.
 */
public final class IncompleteSlopes {
    private static final double EPSILON = 0x1p-54;
    private static final int LIMIT = 1_000_000;

    private IncompleteSlopes() {}

    /**
     * The derivative of {@link Incomplete#gammaLower} by {@code a}; that of the rest is less it.
     */
    public static double gammaLower(double a, double x) {
        if (!(a > 0 && x >= 0) || Double.isInfinite(a)) return Double.NaN;
        if (x == 0 || Double.isInfinite(x)) return 0;
        return Incomplete.isNear(a, x) ? series(a, x) : -fraction(a, x);
    }

    /**
     * Of {@code x^a exp(-x) / gamma(a + 1)} times the sum of {@code x^n / ((a + 1) ... (a + n))}.
     */
    private static double series(double a, double x) {
        double term = 1;
        double sum = 1;
        double inverses = 0;
        double slope = 0;
        for (int n = 1; n < LIMIT; n++) {
            term *= x / (a + n);
            inverses += 1 / (a + n);
            sum += term;
            slope -= term * inverses;
            if (term <= sum * EPSILON && term * inverses <= -slope * EPSILON) break;
        }
        double log = Elementary.log(x);
        double front = Elementary.exp(a * log - x - GammaFunctions.lgamma(a + 1));
        return front * ((log - GammaFunctions.digamma(a + 1)) * sum + slope);
    }

    /** Of the upper share. */
    private static double fraction(double a, double x) {
        var h = new Fraction(1 / Incomplete.TINY, 1 / (x + 1 - a), 1 / (x + 1 - a));
        double b = x + 1 - a;
        for (int n = 1; n < LIMIT; n++) {
            b += 2;
            if (h.step(-n * (n - a), n, b, -1)) break;
        }
        double log = Elementary.log(x);
        double front = Elementary.exp(a * log - x - GammaFunctions.lgamma(a));
        return front * h.value * (log - GammaFunctions.digamma(a) + h.slope);
    }

    /** The derivative of {@link Incomplete#beta} by {@code a}. */
    public static double betaByFirst(double a, double b, double x) {
        boolean fine = a > 0 && b > 0 && x >= 0 && x <= 1;
        if (!fine || Double.isInfinite(a) || Double.isInfinite(b)) return Double.NaN;
        if (x == 0 || x == 1) return 0;
        return x < (a + 1) / (a + b + 2) ? byFirst(a, b, x) : -bySecond(b, a, 1 - x);
    }

    /** The derivative of {@link Incomplete#beta} by {@code b}. */
    public static double betaBySecond(double a, double b, double x) {
        boolean fine = a > 0 && b > 0 && x >= 0 && x <= 1;
        if (!fine || Double.isInfinite(a) || Double.isInfinite(b)) return Double.NaN;
        if (x == 0 || x == 1) return 0;
        return x < (a + 1) / (a + b + 2) ? bySecond(a, b, x) : -byFirst(b, a, 1 - x);
    }

    private static double byFirst(double a, double b, double x) {
        // 1 / a of the factor in front and digamma(a) together are digamma(a + 1)
        double outside =
                Elementary.log(x) + GammaFunctions.digamma(a + b) - GammaFunctions.digamma(a + 1);
        return share(a, b, x, outside, true);
    }

    private static double bySecond(double a, double b, double x) {
        double outside =
                Elementary.log1p(-x) + GammaFunctions.digamma(a + b) - GammaFunctions.digamma(b);
        return share(a, b, x, outside, false);
    }

    /** The share times what its logarithm's derivative is: {@code outside} and the fraction's. */
    private static double share(double a, double b, double x, double outside, boolean byFirst) {
        double size =
                GammaFunctions.lgamma(a + b) - GammaFunctions.lgamma(a) - GammaFunctions.lgamma(b);
        double front = a * Elementary.log(x) + b * Elementary.log1p(-x) + size;
        double first = -(a + b) * x / (a + 1);
        double begin = 1 / Incomplete.away(1 + first);
        double begins = byFirst ? -(1 - b) * x / ((a + 1) * (a + 1)) : -x / (a + 1);
        var h = new Fraction(1, begin, -begins * begin);
        for (int m = 1; m < LIMIT; m++) {
            double p = a + 2.0 * m;
            double even = m * (b - m) * x / ((p - 1) * p);
            double evens = byFirst ? -even * (1 / (p - 1) + 1 / p) : m * x / ((p - 1) * p);
            h.step(even, evens, 1, 0);
            double odd = -(a + m) * (a + b + m) * x / (p * (p + 1));
            double odds =
                    byFirst
                            ? odd * (1 / (a + m) + 1 / (a + b + m) - 1 / p - 1 / (p + 1))
                            : odd / (a + b + m);
            if (h.step(odd, odds, 1, 0)) break;
        }
        return Elementary.exp(front) * h.value / a * (outside + h.slope);
    }

    /** A continued fraction by Lentz's method, and the derivative of its logarithm. */
    private static final class Fraction {
        double value;
        double slope;
        private double d;
        private double dd;
        private double c;
        private double dc;

        /** From {@code c}, its first value {@code d} and the logarithm's derivative of that. */
        Fraction(double c, double first, double slope) {
            this.c = c;
            value = first;
            this.slope = slope;
            d = first;
            dd = first * slope;
        }

        /** One more pair of numbers with their derivatives; whether nothing changes any more. */
        boolean step(double top, double tops, double bottom, double bottoms) {
            double under = Incomplete.away(top * d + bottom);
            double unders = tops * d + top * dd + bottoms;
            double over = Incomplete.away(bottom + top / c);
            double overs = bottoms + tops / c - top * dc / (c * c);
            d = 1 / under;
            dd = -unders * d * d;
            c = over;
            dc = overs;
            double step = c * d;
            double more = overs / over - unders * d;
            value *= step;
            slope += more;
            return Math.abs(step - 1) <= EPSILON * 4
                    && Math.abs(more) <= EPSILON * 4 * Math.abs(slope);
        }
    }
}
