package dev.ebb.ir.math;

/**
 * The error function and its relatives in double. Near zero a polynomial of the square; beyond, the
 * scaled complement {@code exp(x^2) erfc(x)}, which is smooth, times an exponential whose argument
 * is kept to twice the precision. A device takes the same steps in vectors.
 */
public final class ErrorFunctions {
    private static final double TWO_OVER_SQRT_PI = 1.1283791670955126;

    /** Up to here erf is a polynomial. */
    public static final double NEAR = 0.5;

    /** Beyond, erfc rounds to zero and erf to one. */
    public static final double ERFC_FAR = 27.3;

    private ErrorFunctions() {}

    /** erf(x) for |x| up to 1/2. */
    private static double near(double x) {
        double z = x * x;
        double p = Polynomial.ERF_NEAR.at(z);
        return Math.fma(p, x, x);
    }

    /** erfc of 1/2 and more. */
    private static double complement(double x) {
        double square = x * x;
        double t = Math.fma(square, -Elementary.LOG2_E, Elementary.MAGIC);
        double n = t - Elementary.MAGIC;
        double r = Math.fma(n, -Elementary.LN2_LOW, Math.fma(n, -Elementary.LN2_HIGH, -square));
        double e = Elementary.beyondLinear(r) + r + 1;
        double u = (x - 4) / (x + 4);
        double p = Polynomial.ERFCX.at(u);
        double gauss = Math.fma(Math.fma(-x, x, square), e, e);
        return Elementary.scaled(gauss * (p / Math.fma(x, 2, 1)), t);
    }

    /** erf(x), within 2 units in the last place. */
    public static double erf(double x) {
        double a = Math.abs(x);
        if (!(a >= NEAR)) return near(x);
        return Math.copySign(1 - complement(a > ERFC_FAR ? ERFC_FAR : a), x);
    }

    /** erfc(x) = 1 - erf(x), within 3.5 units in the last place also where it is small. */
    public static double erfc(double x) {
        double a = Math.abs(x);
        if (!(a >= NEAR)) return 1 - near(x);
        double far = complement(a > ERFC_FAR ? ERFC_FAR : a);
        return x < 0 ? 2 - far : far;
    }

    /**
     * The number whose erf is {@code y}, within 4 units in the last place: a start from the
     * logarithm (Winitzki's approximation), then steps of Halley's method, on erfc where erf is
     * past one half.
     */
    public static double erfinv(double y) {
        double a = Math.abs(y);
        if (!(a <= 1)) return Double.NaN;
        if (a == 1) return y * Double.POSITIVE_INFINITY;
        if (a < 1e-9) return y / TWO_OVER_SQRT_PI;
        double l = Elementary.log1p(-a * a);
        double h = 2 / (Math.PI * 0.147) + l / 2;
        double x = Math.sqrt(Math.sqrt(h * h - l / 0.147) - h);
        for (int i = 0; i < 3; i++) {
            double miss = a > 0.5 ? (1 - a) - erfc(x) : erf(x) - a;
            double step = miss / (TWO_OVER_SQRT_PI * Elementary.exp(-x * x));
            x -= step / (1 + x * step);
        }
        return Math.copySign(x, y);
    }
}
