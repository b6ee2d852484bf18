package dev.ebb.ir.math;

/**
 * The error function and its relatives in double. Near zero a polynomial of the square; beyond, the
 * scaled complement {@code exp(x^2) erfc(x)}, which is smooth, times an exponential whose argument
 * is kept to twice the precision. The polynomials interpolate 60-digit values at Chebyshev nodes
 * ({@code special_fits.py} beside the tests).
 */
final class ErrorFunctions {
    private static final double TWO_OVER_SQRT_PI = 1.1283791670955126;

    /** Up to here erf is a polynomial. */
    private static final double NEAR = 0.5;

    /** Beyond, erfc rounds to zero. */
    private static final double FAR = 27.3;

    /** From here on an exponential would leave the normal numbers before it is scaled. */
    private static final double SMALL = 26;

    private static final double SHIFT = 64;
    private static final double EXP_MINUS_SHIFT = 0x1.969d47321e4ccp-93;

    /** erf(x) / x - 1 in x^2, for |x| up to 1/2. */
    private static final double[] ERF_NEAR = {
        0x1.06eba8214db69p-3,
        -0x1.812746b0379e6p-2,
        0x1.ce2f21a042b29p-4,
        -0x1.b82ce3127f739p-6,
        0x1.565bcd0aa6349p-8,
        -0x1.c02db23d41138p-11,
        0x1.f9a2a6635fe79p-14,
        -0x1.f4bb9f7301dedp-17,
        0x1.b776442df3041p-20,
        -0x1.39fb524e9c1f7p-23,
    };

    /** (1 + 2x) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x from 1/2 to 28. */
    private static final double[] ERFCX = {
        0x1.3ba5916e9fd7fp+0,
        -0x1.1df1ad154a28ep-3,
        0x1.f7f5df66fd76dp-7,
        0x1.16ecefcfa52b5p-4,
        -0x1.9ddb23c3e8e00p-4,
        0x1.7fee004e14c37p-4,
        -0x1.0fb06dfe4e4f9p-4,
        0x1.3079edf61e7a1p-5,
        -0x1.09623883f080cp-6,
        0x1.49c672aa08182p-8,
        -0x1.8d4a9b1376eaep-11,
        -0x1.a1df44d0d357ap-13,
        0x1.3be055036ec36p-13,
        -0x1.9954dbbbdf343p-16,
        -0x1.788966f85ff88p-17,
        0x1.7ef4d531cf830p-18,
        0x1.3abf792a3125dp-22,
        -0x1.b7f86449a0aa8p-21,
        0x1.43dc50b7baccdp-24,
        0x1.bb7be885c5a0bp-24,
        -0x1.3c396538d8d44p-26,
        -0x1.4ba5c49bc26a7p-27,
        0x1.0eff5654f9fd0p-29,
    };

    private ErrorFunctions() {}

    /** erf(x), within 2 units in the last place. */
    static double erf(double x) {
        double a = Math.abs(x);
        if (!(a >= NEAR)) return x + x * polynomial(ERF_NEAR, x * x);
        return Math.copySign(a > 6 ? 1 : 1 - complement(a), x);
    }

    /** erfc(x) = 1 - erf(x), within 4 units in the last place also where it is small. */
    static double erfc(double x) {
        if (Double.isNaN(x)) return x;
        if (Math.abs(x) < NEAR) return 1 - erf(x);
        if (x < 0) return x < -6 ? 2 : 2 - complement(-x);
        return x > FAR ? 0 : complement(x);
    }

    /** erfc of 1/2 and more. */
    private static double complement(double x) {
        double scaled = polynomial(ERFCX, (x - 4) / (x + 4)) / (1 + 2 * x);
        double square = x * x;
        double rest = Math.fma(x, x, -square);
        if (x < SMALL) {
            double e = StrictMath.exp(-square);
            return (e - e * rest) * scaled;
        }
        double e = StrictMath.exp(SHIFT - square);
        return (e - e * rest) * scaled * EXP_MINUS_SHIFT;
    }

    /**
     * The number whose erf is {@code y}, within 4 units in the last place: a start from the
     * logarithm (Winitzki's approximation), then steps of Halley's method, on erfc where erf is
     * past one half.
     */
    static double erfinv(double y) {
        double a = Math.abs(y);
        if (!(a <= 1)) return Double.NaN;
        if (a == 1) return y * Double.POSITIVE_INFINITY;
        if (a < 1e-9) return y / TWO_OVER_SQRT_PI;
        double l = StrictMath.log1p(-a * a);
        double h = 2 / (Math.PI * 0.147) + l / 2;
        double x = Math.sqrt(Math.sqrt(h * h - l / 0.147) - h);
        for (int i = 0; i < 3; i++) {
            double miss = a > 0.5 ? (1 - a) - erfc(x) : erf(x) - a;
            double step = miss / (TWO_OVER_SQRT_PI * StrictMath.exp(-x * x));
            x -= step / (1 + x * step);
        }
        return Math.copySign(x, y);
    }

    /** The polynomial with these coefficients, the constant first. */
    static double polynomial(double[] c, double x) {
        double p = c[c.length - 1];
        for (int i = c.length - 2; i >= 0; i--) p = Math.fma(p, x, c[i]);
        return p;
    }
}
