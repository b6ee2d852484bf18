package dev.ebb.ir.math;

/**
 * Scalar functions in double, as are the other classes of this package: from IEEE-exact steps and
 * StrictMath alone, so the same bits on every machine and in every tier of the JIT. What devices
 * compute in double is this, some of it in vectors that take the same steps. Each is within 4 units
 * in the last place over its whole domain, but for those whose comments state another bound
 * (logarithms of the gamma function and their derivatives left of zero).
 */
public final class Special {
    private static final double LN2 = 0.6931471805599453;
    private static final double ROOT_TWO = 1.4142135623730951;

    /** From here on a square plus or minus one is the square. */
    private static final double LARGE = 1e8;

    private Special() {}

    /** The inverse of the hyperbolic sine. */
    public static double asinh(double x) {
        double a = Math.abs(x);
        double y =
                a > LARGE
                        ? StrictMath.log(a) + LN2
                        : StrictMath.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
        return Math.copySign(y, x);
    }

    /** The inverse of the hyperbolic cosine; NaN left of one. */
    public static double acosh(double x) {
        if (x < 1) return Double.NaN;
        if (x > LARGE) return StrictMath.log(x) + LN2;
        return StrictMath.log1p((x - 1) + Math.sqrt((x - 1) * (x + 1)));
    }

    /** The inverse of the hyperbolic tangent. */
    public static double atanh(double x) {
        return 0.5 * (StrictMath.log1p(x) - StrictMath.log1p(-x));
    }

    /**
     * The logarithm to base two: the exponent and the logarithm of a number near one, so that
     * powers of two come out exact.
     */
    public static double log2(double x) {
        if (!(x > 0 && x < Double.POSITIVE_INFINITY)) return StrictMath.log(x);
        int exponent = Math.getExponent(x < Double.MIN_NORMAL ? x * 0x1p54 : x);
        if (x < Double.MIN_NORMAL) exponent -= 54;
        double near = Math.scalb(Math.scalb(x, -exponent / 2), -exponent - -exponent / 2);
        if (near > ROOT_TWO) {
            near /= 2;
            exponent++;
        }
        return exponent + StrictMath.log(near) / LN2;
    }
}
