package dev.ebb.ir.math;

import dev.ebb.ir.Scalar;

/**
 * Scalar functions in double, from IEEE-exact steps and StrictMath alone: the same bits on every
 * machine and in every tier of the JIT. What devices compute in double is this, some of it in
 * vectors that take the same steps. Each is within 4 units in the last place over its whole domain,
 * but for those whose comments state another bound (logarithms of the gamma function and their
 * derivatives left of zero).
 */
public final class Special {
    private static final double LN2 = 0.6931471805599453;
    private static final double ROOT_TWO = 1.4142135623730951;

    /** From here on a square plus or minus one is the square. */
    private static final double LARGE = 1e8;

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
            case EXP -> Elementary.exp(x);
            case EXPM1 -> Elementary.expm1(x);
            case LOG -> Elementary.log(x);
            case LOG1P -> Elementary.log1p(x);
            case LOG2 -> log2(x);
            case SIN -> Waves.sin(x);
            case COS -> Waves.cos(x);
            case TAN -> Waves.tan(x);
            case ASIN -> StrictMath.asin(x);
            case ACOS -> StrictMath.acos(x);
            case ATAN -> Waves.atan(x);
            case SINH -> StrictMath.sinh(x);
            case COSH -> StrictMath.cosh(x);
            case TANH -> Elementary.tanh(x);
            case ASINH -> asinh(x);
            case ACOSH -> acosh(x);
            case ATANH -> 0.5 * (StrictMath.log1p(x) - StrictMath.log1p(-x));
            case ERF -> ErrorFunctions.erf(x);
            case ERFC -> ErrorFunctions.erfc(x);
            case ERFINV -> ErrorFunctions.erfinv(x);
            case LGAMMA -> GammaFunctions.lgamma(x);
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
            case POW -> Elementary.pow(x, y);
            case ATAN2 -> StrictMath.atan2(x, y);
            case HYPOT -> StrictMath.hypot(x, y);
            case POLYGAMMA -> GammaFunctions.polygamma((int) x, y);
            case EQ, NE, LT, LE, GT, GE, AND, OR, XOR, SHL, SHR, USHR ->
                    throw new IllegalArgumentException(fn + " gives no float");
        };
    }

    private static double asinh(double x) {
        double a = Math.abs(x);
        double y =
                a > LARGE
                        ? StrictMath.log(a) + LN2
                        : StrictMath.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
        return Math.copySign(y, x);
    }

    private static double acosh(double x) {
        if (x < 1) return Double.NaN;
        if (x > LARGE) return StrictMath.log(x) + LN2;
        return StrictMath.log1p((x - 1) + Math.sqrt((x - 1) * (x + 1)));
    }

    /** The exponent and the logarithm of a number near one: powers of two come out exact. */
    private static double log2(double x) {
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
