package dev.ebb.ir.math;

/**
 * The logarithm of the gamma function and its derivatives in double: polynomials near the zeros
 * that are right of zero, recurrences to them, and asymptotic series far out. The polynomials
 * interpolate 60-digit values at Chebyshev nodes ({@code special_fits.py} beside the tests).
 */
public final class GammaFunctions {
    private static final double HALF_LOG_TWO_PI = 0.9189385332046727;

    /** Bernoulli numbers B2, B4, ... B20. */
    private static final double[] BERNOULLI = {
        1.0 / 6,
        -1.0 / 30,
        1.0 / 42,
        -1.0 / 30,
        5.0 / 66,
        -691.0 / 2730,
        7.0 / 6,
        -3617.0 / 510,
        43867.0 / 798,
        -174611.0 / 330
    };

    /** From here on the asymptotic series of lgamma and digamma are used. */
    private static final double FAR = 10;

    /** The zero of digamma right of the origin, in two parts. */
    private static final double ROOT = 0x1.762d86356be3fp+0;

    private static final double ROOT_REST = 0x1.b86a722197829p-54;

    /** lgamma(1 + u) / u for u from -1/2 to 0. */
    private static final double[] LGAMMA_LEFT = {
        -0x1.2788cfc6fb619p-1,
        0x1.a51a6625309bbp-1,
        -0x1.9a4d55be6bf33p-2,
        0x1.151322c66d98dp-2,
        -0x1.a8b9b6407b8e6p-3,
        0x1.5b42461f01447p-3,
        -0x1.26e2729296b1ep-3,
        0x1.0314ffd74584ep-3,
        -0x1.995696078b9e4p-4,
        0x1.94ce8ce92283fp-3,
        0x1.16801d6eaa0f5p-1,
        0x1.a100c123e0443p+1,
        0x1.85860a2b932aap+3,
        0x1.23f9a30903abap+5,
        0x1.4adc7e2d009bfp+6,
        0x1.1acc3663b5f05p+7,
        0x1.5f82c905e716bp+7,
        0x1.2de5bf839c2f2p+7,
        0x1.4109635217d17p+6,
        0x1.441ccd09f2951p+4,
    };

    /** lgamma(1 + u) / u for u from 0 to 1/2. */
    private static final double[] LGAMMA_ONE = {
        -0x1.2788cfc6fb619p-1,
        0x1.a51a6625307d1p-1,
        -0x1.9a4d55beaafdap-2,
        0x1.151322ac6d789p-2,
        -0x1.a8b9c174f380ep-3,
        0x1.5b40ca71edbf9p-3,
        -0x1.27039677f53d2p-3,
        0x1.010aa31322991p-3,
        -0x1.c7fb8cf32a4a8p-4,
        0x1.99b500beb7935p-4,
        -0x1.72eeea81bc9abp-4,
        0x1.4ebb644410697p-4,
        -0x1.259f66d47a9c8p-4,
        0x1.dd589d59870c5p-5,
        -0x1.4e1017606ebb6p-5,
        0x1.6be9bd2d38e0ap-6,
        -0x1.09cbad34e772ap-7,
        0x1.7da8a47c88460p-10,
    };

    /** lgamma(2 + u) / u for u from -1/2 to 1/2. */
    private static final double[] LGAMMA_TWO = {
        0x1.b0ee6072093cep-2,
        0x1.4a34cc4a60fa6p-2,
        -0x1.13e001a55760ap-4,
        0x1.51322ac7d848ap-6,
        -0x1.e404fc218dbaep-8,
        0x1.7add6eadb5317p-9,
        -0x1.38ac5c2d48207p-10,
        0x1.0b36af8779ca0p-11,
        -0x1.d3fd4b679c1c4p-13,
        0x1.a127afee53e7dp-14,
        -0x1.78de9ab752b81p-15,
        0x1.580e0afa55850p-16,
        -0x1.3cb3be36ad88bp-17,
        0x1.258f3057730fap-18,
        -0x1.1276ebd557fb0p-19,
        0x1.012012be3900ap-20,
        -0x1.ce17528bcf460p-22,
        0x1.b40adb09a1e12p-23,
        -0x1.2009c1a550d0dp-23,
        0x1.11fa5e7c86f7bp-24,
    };

    /** digamma(x) / (x - root) in x - 3/2, for x from 1 to 2. */
    private static final double[] DIGAMMA_ONE = {
        0x1.e6f0cbb873616p-1,
        -0x1.b1cb63005ee98p-2,
        0x1.eca189b8e6f6dp-3,
        -0x1.2feeeb98a78eap-3,
        0x1.8512e5903903ep-4,
        -0x1.fb44202a2306bp-5,
        0x1.4de9aa1779d23p-5,
        -0x1.b9f8b11bfd3d0p-6,
        0x1.2564717896ec6p-6,
        -0x1.863563f44f303p-7,
        0x1.03c0adafa529cp-7,
        -0x1.5a06a5d662cb4p-8,
        0x1.cd2011454fd05p-9,
        -0x1.336dbe66757c8p-9,
        0x1.99d3f5c0cad5ep-10,
        -0x1.0fb38d217b800p-10,
        0x1.6a3e76070c135p-11,
        -0x1.fd8e50abf2196p-12,
        0x1.53b23429da21bp-12,
        -0x1.2fae5cb379bf2p-13,
        0x1.94e73cc9821e1p-14,
        -0x1.75c084e78a4cdp-13,
        0x1.f255c4568ac4dp-14,
    };

    /** digamma(x) in x - 5/2, for x from 2 to 3. */
    private static final double[] DIGAMMA_TWO = {
        0x1.680425af12b5ep-1,
        0x1.f62057f7296c9p-2,
        -0x1.e3bef327df0bbp-4,
        0x1.31b4c4359dfc1p-5,
        -0x1.ac61ab99aa0c2p-7,
        0x1.3bf9d580eca63p-8,
        -0x1.dfdf12a9e0a16p-10,
        0x1.72e0083e31eb9p-11,
        -0x1.21de1cbb6fb92p-12,
        0x1.c872e1d080f68p-14,
        -0x1.692591f85a2a2p-15,
        0x1.1eb450a1c8693p-16,
        -0x1.c88ea54caa83bp-18,
        0x1.6bdd21d1e0e15p-19,
        -0x1.1da25ea5c22dfp-20,
        0x1.c8237f5d7ad8ap-22,
        -0x1.bc4331d5b7550p-23,
        0x1.631998b999cb9p-24,
    };

    private GammaFunctions() {}

    /**
     * log |gamma(x)|: right of -1/2 within 4 units in the last place. Further left it has a zero
     * between any two poles, and the error is within 4 units in the last place of lgamma(1 - x).
     */
    public static double lgamma(double x) {
        if (Double.isNaN(x)) return x;
        if (Double.isInfinite(x) || (x <= 0 && x == Math.rint(x))) return Double.POSITIVE_INFINITY;
        if (x < -0.5) {
            double s = Math.abs(StrictMath.sin(Math.PI * (x - Math.rint(x))));
            return StrictMath.log(Math.PI / s) - lgamma(1 - x);
        }
        if (x <= 0.5) return nearOne(x) - StrictMath.log(Math.abs(x));
        if (x <= 1.5) return x == 1 ? 0 : nearOne(x - 1);
        if (x >= FAR) return (x - 0.5) * (StrictMath.log(x) - 1) + stirling(x);
        double z = x;
        double product = 1;
        while (z > 2.5) {
            z -= 1;
            product *= z;
        }
        double near = (z - 2) * polynomial(LGAMMA_TWO, z - 2);
        return product == 1 ? near : near + StrictMath.log(product);
    }

    /** lgamma(1 + u) for |u| up to 1/2. */
    private static double nearOne(double u) {
        return u * polynomial(u < 0 ? LGAMMA_LEFT : LGAMMA_ONE, u);
    }

    private static double stirling(double x) {
        double sum = 0;
        double square = x * x;
        double power = x;
        for (int k = 0; k < BERNOULLI.length; k++) {
            sum += BERNOULLI[k] / ((2 * k + 1) * (2 * k + 2) * power);
            power *= square;
        }
        return HALF_LOG_TWO_PI - 0.5 + sum;
    }

    /**
     * The derivative of lgamma: right of zero within 4 units in the last place. Left of it there is
     * a zero between any two poles, and the error is within 8 units in the last place of the larger
     * of digamma(1 - x) and pi / tan(pi x). It is minus infinity at 0, infinite at -0 and NaN at
     * the other poles, where the two sides disagree.
     */
    public static double digamma(double x) {
        if (x == 0) return Math.copySign(Double.POSITIVE_INFINITY, -x);
        if (x < 0) {
            double fraction = x - Math.rint(x);
            if (fraction == 0 || Double.isInfinite(x)) return Double.NaN;
            return digamma(1 - x) - Math.PI * cotangent(fraction);
        }
        if (x < 1) return digamma(x + 1) - 1 / x;
        if (x <= 2) return (x - ROOT - ROOT_REST) * polynomial(DIGAMMA_ONE, x - 1.5);
        double z = x;
        double sum = 0;
        if (x < FAR) {
            while (z > 3) {
                z -= 1;
                sum += 1 / z;
            }
            return polynomial(DIGAMMA_TWO, z - 2.5) + sum;
        }
        if (Double.isInfinite(x)) return x;
        double square = x * x;
        double power = square;
        for (int k = 1; k <= BERNOULLI.length; k++) {
            sum += BERNOULLI[k - 1] / (2 * k * power);
            power *= square;
        }
        return StrictMath.log(x) - (0.5 / x + sum);
    }

    /** The cotangent of pi times {@code x}, for |x| up to 1/2. */
    private static double cotangent(double x) {
        double a = Math.abs(x);
        if (a <= 0.25) return 1 / StrictMath.tan(Math.PI * x);
        return Math.copySign(StrictMath.tan(Math.PI * (0.5 - a)), x);
    }

    /**
     * The derivative of order n of digamma. From order 1 on it is n! times Hurwitz' zeta(n + 1, x)
     * with a sign; left of zero that sum is taken from its nearest pole outwards. Up to order 20
     * the error is within 16 units in the last place, of the largest term where terms cancel, which
     * is left of zero in even orders. It is infinite at the poles in odd orders; in even ones NaN,
     * and at zero infinite with the sign of the side.
     */
    public static double polygamma(int n, double x) {
        if (Double.isNaN(x) || n < 0) return Double.NaN;
        if (n == 0) return digamma(x);
        boolean odd = n % 2 == 1;
        double factorial = 1;
        for (int i = 2; i <= n; i++) factorial *= i;
        double scale = odd ? factorial : -factorial;
        if (x == Double.POSITIVE_INFINITY) return odd ? 0.0 : -0.0;
        if (x == Double.NEGATIVE_INFINITY) return Double.NaN;
        if (x >= 0.5) return scale * zeta(n + 1, x);
        double off = x - Math.rint(x);
        if (off == 0) {
            if (odd) return Double.POSITIVE_INFINITY;
            return x == 0 ? Math.copySign(Double.POSITIVE_INFINITY, -x) : Double.NaN;
        }
        double right = StrictMath.pow(off, -(n + 1)) + zeta(n + 1, 1 + off);
        double left = zeta(n + 1, 1 - off) - zeta(n + 1, 1 - x);
        return scale * (odd ? right + left : right - left);
    }

    /** The sum of {@code (q + k)^-s} over k from 0 on, for s from 2 and q from 1/2 on. */
    private static double zeta(int s, double q) {
        double far = FAR + s;
        int terms = q < far ? (int) Math.ceil(far - q) : 0;
        double z = q + terms;
        double tail = 0;
        double rising = s;
        double factorial = 2;
        double power = StrictMath.pow(z, -s);
        double step = power / z;
        for (int k = 1; k <= BERNOULLI.length; k++) {
            tail += BERNOULLI[k - 1] * rising / factorial * step;
            rising *= (s + 2.0 * k - 1) * (s + 2.0 * k);
            factorial *= (2.0 * k + 1) * (2.0 * k + 2);
            step /= z * z;
        }
        double sum = tail + power / 2 + power * z / (s - 1);
        for (int k = terms - 1; k >= 0; k--) sum += StrictMath.pow(q + k, -s);
        return sum;
    }

    /** The polynomial with these coefficients, the constant first. */
    private static double polynomial(double[] c, double x) {
        double p = c[c.length - 1];
        for (int i = c.length - 2; i >= 0; i--) p = Math.fma(p, x, c[i]);
        return p;
    }
}
