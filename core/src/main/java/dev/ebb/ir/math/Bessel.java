package dev.ebb.ir.math;

/**
 * Bessel functions of orders zero and one in double. The oscillating ones: the power series below
 * 1, Miller's backward recurrence up to 25, Hankel's asymptotic series beyond. The growing ones,
 * times {@code exp(-|x|)}: the power series, whose terms are positive, up to 20, and the asymptotic
 * series beyond.
 */
public final class Bessel {
    private static final double SERIES_END = 1;
    private static final double RECURRENCE_END = 25;
    private static final int RECURRENCE_START = 80;
    private static final double GROWING_SERIES_END = 20;
    private static final double EPSILON = 0x1p-55;

    private Bessel() {}

    /** J0(x), off by at most 4e-16. */
    public static double j0(double x) {
        return j(0, Math.abs(x));
    }

    /** J1(x), off by at most 4e-16. */
    public static double j1(double x) {
        return x < 0 ? -j(1, -x) : j(1, x);
    }

    /** exp(-|x|) I0(x), within 8 units in the last place. */
    public static double i0Scaled(double x) {
        return i(0, Math.abs(x));
    }

    /** exp(-|x|) I1(x), within 8 units in the last place. */
    public static double i1Scaled(double x) {
        return x < 0 ? -i(1, -x) : i(1, x);
    }

    public static double i0(double x) {
        return i0Scaled(x) * Elementary.exp(Math.abs(x));
    }

    public static double i1(double x) {
        return i1Scaled(x) * Elementary.exp(Math.abs(x));
    }

    /** The power series, with terms of one sign or of alternating signs. */
    private static double series(int order, double x, double sign) {
        double quarter = sign * x * x / 4;
        double term = order == 0 ? 1 : x / 2;
        double sum = term;
        for (int k = 1; Math.abs(term) > sum * EPSILON; k++) {
            term *= quarter / (k * (k + order));
            sum += term;
        }
        return sum;
    }

    private static double j(int order, double x) {
        if (Double.isInfinite(x)) return 0;
        if (!(x >= SERIES_END)) return Double.isNaN(x) ? x : series(order, x, -1);
        return x < RECURRENCE_END ? recurrence(order, x) : hankel(order, x);
    }

    /** Down from an order whose value is negligible, then scaled by {@code J0 + 2 sum J2k = 1}. */
    private static double recurrence(int order, double x) {
        double above = 0;
        double here = 1e-160;
        double sum = 0;
        double first = 0;
        for (int k = RECURRENCE_START; k > 0; k--) {
            double below = 2 * k / x * here - above;
            above = here;
            here = below;
            if (k == 2) first = here;
            if (k % 2 == 1) sum += k == 1 ? here : 2 * here;
        }
        return (order == 0 ? here : first) / sum;
    }

    private static double hankel(int order, double x) {
        double even = 0;
        double odd = 0;
        double term = 1;
        double mu = 4 * order;
        for (int k = 0; Math.abs(term) > EPSILON; k++) {
            double signed = (k / 2) % 2 == 0 ? term : -term;
            if (k % 2 == 0) even += signed;
            else odd += signed;
            double next = 2 * k + 1;
            term *= (mu - next * next) / (8 * x * (k + 1));
        }
        double cos = Waves.cos(x);
        double sin = Waves.sin(x);
        // cosine and sine of x - pi/4, and of x - 3 pi/4, times the root of two
        double c = order == 0 ? cos + sin : sin - cos;
        double s = order == 0 ? sin - cos : -sin - cos;
        return (even * c - odd * s) / Math.sqrt(Math.PI * x);
    }

    private static double i(int order, double x) {
        if (Double.isInfinite(x)) return 0;
        if (!(x >= GROWING_SERIES_END)) {
            return Double.isNaN(x) ? x : series(order, x, 1) * Elementary.exp(-x);
        }
        double sum = 0;
        double term = 1;
        double mu = 4 * order;
        for (int k = 0; Math.abs(term) > EPSILON; k++) {
            sum += term;
            double next = 2 * k + 1;
            term *= -(mu - next * next) / (8 * x * (k + 1));
        }
        return sum / Math.sqrt(2 * Math.PI * x);
    }
}
