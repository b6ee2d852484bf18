package dev.ebb.ir.math;

/**
 * The inverse of the normal distribution function in double. In the middle by the inverse error
 * function; in the tails a start from the logarithm (Abramowitz and Stegun, 26.2.22, good to
 * 0.003), then steps of Halley's method on the probability of the nearer tail.
 */
public final class NormalQuantile {
    private static final double ROOT_HALF = Math.sqrt(0.5);
    private static final double ROOT_TWO_PI = Math.sqrt(2 * Math.PI);
    private static final double TAIL = 0.1;
    private static final int STEPS = 3;

    private NormalQuantile() {}

    /** The x with distribution(x) = p, within 4 units in the last place; NaN outside [0, 1]. */
    public static double at(double p) {
        if (!(p >= 0 && p <= 1)) return Double.NaN;
        double other = 1 - p;
        if (Math.min(p, other) >= TAIL) return ErrorFunctions.erfinv(2 * p - 1) / ROOT_HALF;
        return p < other ? left(p) : -left(other);
    }

    private static double left(double q) {
        if (q == 0) return Double.NEGATIVE_INFINITY;
        double t = Math.sqrt(-2 * Elementary.log(q));
        double x = (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)) - t;
        for (int i = 0; i < STEPS; i++) {
            double density = Elementary.exp(-0.5 * x * x) / ROOT_TWO_PI;
            double miss = (0.5 * ErrorFunctions.erfc(-x * ROOT_HALF) - q) / density;
            x -= miss / (1 + 0.5 * x * miss);
        }
        return x;
    }
}
