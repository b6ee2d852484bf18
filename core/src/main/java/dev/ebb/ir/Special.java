package dev.ebb.ir;

/**
 * Scalar functions in double, from IEEE-exact steps and StrictMath alone: the same bits on every
 * machine and in every tier of the JIT. The special functions converge to a few units in the last
 * place; they are written to be obviously right first.
 */
public final class Special {
    private static final double LN2 = 0.6931471805599453;
    private static final double TWO_OVER_SQRT_PI = 1.1283791670955126;
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

    private static final double FAR = 15;

    private Special() {}

    /** A function of one float; those of integers and truth values have no meaning here. */
    public static double apply(Scalar.Fn1 fn, double x) {
        return switch (fn) {
            case NEG -> -x;
            case ABS -> Math.abs(x);
            case SIGN -> Math.signum(x);
            case FLOOR -> Math.floor(x);
            case CEIL -> Math.ceil(x);
            case ROUND -> Math.rint(x);
            case SQRT -> Math.sqrt(x);
            case EXP -> StrictMath.exp(x);
            case EXPM1 -> StrictMath.expm1(x);
            case LOG -> StrictMath.log(x);
            case LOG1P -> StrictMath.log1p(x);
            case LOG2 -> StrictMath.log(x) / LN2;
            case SIN -> StrictMath.sin(x);
            case COS -> StrictMath.cos(x);
            case TAN -> StrictMath.tan(x);
            case ASIN -> StrictMath.asin(x);
            case ACOS -> StrictMath.acos(x);
            case ATAN -> StrictMath.atan(x);
            case SINH -> StrictMath.sinh(x);
            case COSH -> StrictMath.cosh(x);
            case TANH -> StrictMath.tanh(x);
            case ASINH -> asinh(x);
            case ACOSH -> acosh(x);
            case ATANH -> 0.5 * (StrictMath.log1p(x) - StrictMath.log1p(-x));
            case ERF -> erf(x);
            case ERFC -> erfc(x);
            case ERFINV -> erfinv(x);
            case LGAMMA -> lgamma(x);
            case NOT, IS_NAN -> throw new IllegalArgumentException(fn + " gives no float");
        };
    }

    /** A function of two floats that gives a float. */
    public static double apply(Scalar.Fn2 fn, double x, double y) {
        return switch (fn) {
            case ADD -> x + y;
            case SUB -> x - y;
            case MUL -> x * y;
            case DIV -> x / y;
            case REM -> x % y;
            case MAX -> Math.max(x, y);
            case MIN -> Math.min(x, y);
            case POW -> StrictMath.pow(x, y);
            case ATAN2 -> StrictMath.atan2(x, y);
            case HYPOT -> StrictMath.hypot(x, y);
            case POLYGAMMA -> polygamma((int) x, y);
            case EQ, NE, LT, LE, GT, GE, AND, OR, XOR, SHL, SHR, USHR ->
                    throw new IllegalArgumentException(fn + " gives no float");
        };
    }

    /** Beyond 1e8 twice the argument is all that the root adds up to in double precision. */
    private static double acosh(double x) {
        if (x < 1) return Double.NaN;
        if (x > 1e8) return StrictMath.log(x) + LN2;
        return StrictMath.log1p((x - 1) + Math.sqrt((x - 1) * (x + 1)));
    }

    private static double asinh(double x) {
        double a = Math.abs(x);
        double y =
                a > 1e8
                        ? StrictMath.log(a) + LN2
                        : StrictMath.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
        return Math.copySign(y, x);
    }

    /** Series of positive terms up to 2.5, complement of {@link #erfc} beyond. */
    public static double erf(double x) {
        double a = Math.abs(x);
        if (Double.isNaN(x)) return x;
        if (a > 2.5) return Math.copySign(1 - erfc(a), x);
        double term = a;
        double sum = a;
        for (int n = 1; n < 200 && term > sum * 1e-18; n++) {
            term *= 2 * a * a / (2 * n + 1);
            sum += term;
        }
        return Math.copySign(TWO_OVER_SQRT_PI * StrictMath.exp(-a * a) * sum, x);
    }

    /** The continued fraction of Laplace beyond 2.5, evaluated from its tail. */
    public static double erfc(double x) {
        if (x < 2.5) return 1 - erf(x);
        if (x > 27.5) return 0;
        double t = x;
        for (int n = 120; n >= 1; n--) t = x + n / 2.0 / t;
        return TWO_OVER_SQRT_PI / 2 * StrictMath.exp(-x * x) / t;
    }

    /**
     * A start from the logarithm (Winitzki's approximation), then three steps of Halley's method.
     */
    public static double erfinv(double y) {
        if (Double.isNaN(y) || y < -1 || y > 1) return Double.NaN;
        if (y == 0) return y;
        if (Math.abs(y) == 1) return y * Double.POSITIVE_INFINITY;
        double l = StrictMath.log1p(-y * y);
        double h = 2 / (Math.PI * 0.147) + l / 2;
        double x = Math.copySign(Math.sqrt(Math.sqrt(h * h - l / 0.147) - h), y);
        for (int i = 0; i < 3; i++) {
            double miss =
                    Math.abs(y) > 0.9
                            ? Math.signum(y) * ((1 - Math.abs(y)) - erfc(Math.abs(x)))
                            : erf(x) - y;
            double step = miss / (TWO_OVER_SQRT_PI * StrictMath.exp(-x * x));
            x -= step / (1 + x * step);
        }
        return x;
    }

    /** log |gamma(x)|: the recurrence up to 15, then Stirling's series. */
    public static double lgamma(double x) {
        if (Double.isNaN(x)) return x;
        if (x == Double.POSITIVE_INFINITY) return x;
        if (x <= 0 && x == Math.floor(x)) return Double.POSITIVE_INFINITY;
        if (x < -1000) {
            double s = Math.abs(StrictMath.sin(Math.PI * (x - Math.floor(x))));
            return StrictMath.log(Math.PI / s) - lgamma(1 - x);
        }
        double product = 1;
        double shift = 0;
        double z = x;
        while (z < FAR) {
            product *= z;
            if (Math.abs(product) > 1e200 || Math.abs(product) < 1e-200) {
                shift += StrictMath.log(Math.abs(product));
                product = 1;
            }
            z += 1;
        }
        shift += StrictMath.log(Math.abs(product));
        double sum = 0;
        double power = z;
        for (int k = 0; k < BERNOULLI.length; k++) {
            sum += BERNOULLI[k] / ((2 * k + 1) * (2 * k + 2) * power);
            power *= z * z;
        }
        return (z - 0.5) * StrictMath.log(z) - z + HALF_LOG_TWO_PI + sum - shift;
    }

    /**
     * The n-th derivative of the digamma function: the recurrence up to 15 + n, then the asymptotic
     * series.
     */
    public static double polygamma(int n, double x) {
        if (Double.isNaN(x) || n < 0) return Double.NaN;
        if (x <= 0 && x == Math.floor(x)) return Double.NaN;
        if (n == 0 && x < -1000)
            return polygamma(0, 1 - x) - Math.PI / StrictMath.tan(Math.PI * (x - Math.floor(x)));
        double factorial = 1;
        for (int i = 2; i <= n; i++) factorial *= i;
        double sign = n % 2 == 0 ? -1 : 1;
        double sum = 0;
        double z = x;
        for (; z < FAR + n; z += 1) sum += 1 / StrictMath.pow(z, n + 1);
        sum *= sign * factorial;
        return sum + asymptotic(n, z, sign, factorial);
    }

    private static double asymptotic(int n, double z, double sign, double factorial) {
        double head =
                n == 0
                        ? StrictMath.log(z) - 1 / (2 * z)
                        : sign
                                * (factorial / n / StrictMath.pow(z, n)
                                        + factorial / (2 * StrictMath.pow(z, n + 1)));
        double tail = 0;
        for (int k = 1; k <= BERNOULLI.length; k++) {
            double ratio = 1;
            for (int i = 1; i < n; i++) ratio *= 2.0 * k + i;
            double term = n == 0 ? 1.0 / (2 * k) : ratio;
            tail += BERNOULLI[k - 1] * term / StrictMath.pow(z, 2 * k + n);
        }
        return n == 0 ? head - tail : head + sign * tail;
    }
}
