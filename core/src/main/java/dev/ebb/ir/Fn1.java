package dev.ebb.ir;

import dev.ebb.ir.math.Elementary;
import dev.ebb.ir.math.ErrorFunctions;
import dev.ebb.ir.math.GammaFunctions;
import dev.ebb.ir.math.NormalQuantile;
import dev.ebb.ir.math.Special;
import dev.ebb.ir.math.Waves;

import java.util.Locale;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/**
 * The functions of one argument that every device has, one row each: the types it accepts, roughly
 * how many arithmetic instructions it costs, its definition in f64, and its derivative. A device
 * lists them in one switch, which does not compile while one is missing. ROUND is half to even.
 */
@SuppressWarnings("ImmutableEnumChecker") // meanings and derivatives are functions without state
public enum Fn1 {
    NEG(Takes.NUMBERS, 1, x -> -x),
    ABS(Takes.NUMBERS, 1, Math::abs),
    SIGN(Takes.NUMBERS, 1, Math::signum),
    FLOOR(Takes.FLOATS, 1, Math::floor),
    CEIL(Takes.FLOATS, 1, Math::ceil),
    ROUND(Takes.FLOATS, 1, Math::rint),
    SQRT(4, Math::sqrt, (_, y, dy) -> dy.div(y.mul(lit(2)))),
    CBRT(40, StrictMath::cbrt, (_, y, dy) -> dy.div(square(y).mul(lit(3)))),
    EXP(16, Elementary::exp, (_, y, dy) -> dy.mul(y)),
    EXPM1(40, Elementary::expm1, (_, y, dy) -> dy.mul(y.add(lit(1)))),
    LOG(16, Elementary::log, (x, _, dy) -> dy.div(x)),
    LOG1P(40, Elementary::log1p, (x, _, dy) -> dy.div(x.add(lit(1)))),
    LOG2(40, Special::log2, (x, _, dy) -> dy.div(x.mul(lit(StrictMath.log(2))))),
    SIN(40, Waves::sin, (x, _, dy) -> dy.mul(cos(x))),
    COS(40, Waves::cos, (x, _, dy) -> dy.mul(x.apply(SIN)).neg()),
    TAN(40, Waves::tan, (_, y, dy) -> dy.mul(square(y).add(lit(1)))),
    ASIN(40, StrictMath::asin, (x, _, dy) -> dy.mul(rsqrt(square(x).neg().add(lit(1))))),
    ACOS(40, StrictMath::acos, (x, _, dy) -> dy.mul(rsqrt(square(x).neg().add(lit(1)))).neg()),
    ATAN(40, Waves::atan, (x, _, dy) -> dy.div(square(x).add(lit(1)))),
    SINH(40, StrictMath::sinh, (x, _, dy) -> dy.mul(cosh(x))),
    COSH(40, StrictMath::cosh, (x, _, dy) -> dy.mul(x.apply(SINH))),
    TANH(16, Elementary::tanh, (_, y, dy) -> dy.mul(square(y).neg().add(lit(1)))),
    ASINH(40, Special::asinh, (x, _, dy) -> dy.mul(rsqrt(square(x).add(lit(1))))),
    ACOSH(40, Special::acosh, (x, _, dy) -> dy.mul(rsqrt(square(x).sub(lit(1))))),
    ATANH(40, Special::atanh, (x, _, dy) -> dy.div(square(x).neg().add(lit(1)))),
    ERF(40, ErrorFunctions::erf, (x, _, dy) -> dy.mul(square(x).neg().exp().mul(lit(bell())))),
    ERFC(40, ErrorFunctions::erfc, (x, _, dy) -> dy.mul(square(x).neg().exp().mul(lit(-bell())))),
    ERFINV(80, ErrorFunctions::erfinv, (_, y, dy) -> dy.mul(square(y).exp().div(lit(bell())))),
    NORMAL_QUANTILE(Takes.FLOATS, 120, NormalQuantile::at),
    LGAMMA(80, GammaFunctions::lgamma, (x, _, dy) -> dy.mul(lit(0).apply(Scalar.Fn2.POLYGAMMA, x))),
    NOT(Takes.WHOLES, 1, Fn1::noFloat),
    IS_NAN(Takes.FLOATS_TO_TRUTH, 1, Fn1::noFloat);

    /** The argument types that a function accepts, and its result type. */
    private enum Takes {
        /** Floats and integers; the result has the same type. */
        NUMBERS,
        /** Floats; the result has the same type. */
        FLOATS,
        /** Integers and truth values; the result has the same type. */
        WHOLES,
        FLOATS_TO_TRUTH
    }

    /**
     * The cotangent of the argument {@code x}, given the result {@code y} and its cotangent; an
     * expression of functions that have derivatives themselves. Literals take the type of the
     * operand beside them.
     */
    public interface Pullback {
        Scalar of(Scalar x, Scalar y, Scalar dy);
    }

    private final String text = name().toLowerCase(Locale.ROOT);
    private final Takes takes;
    private final int cost;
    private final DoubleUnaryOperator meaning;
    private final Optional<Pullback> pullback;

    /** A smooth function of floats. */
    Fn1(int cost, DoubleUnaryOperator meaning, Pullback pullback) {
        this(Takes.FLOATS, cost, meaning, Optional.of(pullback));
    }

    /** A function without a derivative here; an op may define one. */
    Fn1(Takes takes, int cost, DoubleUnaryOperator meaning) {
        this(takes, cost, meaning, Optional.empty());
    }

    Fn1(Takes takes, int cost, DoubleUnaryOperator meaning, Optional<Pullback> pullback) {
        this.takes = takes;
        this.cost = cost;
        this.meaning = meaning;
        this.pullback = pullback;
    }

    /**
     * The result type for an argument of compute type {@code x}; refuses a type that the function
     * does not accept.
     */
    public DType type(DType x) {
        return switch (takes) {
            case NUMBERS -> {
                require(x != DType.BOOL, this + " of a truth value");
                yield x;
            }
            case WHOLES -> {
                require(!x.isFloat(), this + " of " + x);
                yield x;
            }
            case FLOATS -> {
                require(x.isFloat(), this + " needs floats, not " + x + "; cast first");
                yield x;
            }
            case FLOATS_TO_TRUTH -> {
                require(x.isFloat(), this + " of " + x);
                yield DType.BOOL;
            }
        };
    }

    private static void require(boolean holds, String fault) {
        if (!holds) throw new ShapeException(fault);
    }

    /** Roughly the number of arithmetic instructions per element. */
    int cost() {
        return cost;
    }

    /** The value at {@code x} in double, which defines the function for all devices. */
    public double apply(double x) {
        return meaning.applyAsDouble(x);
    }

    /** Its name in small letters. */
    public String text() {
        return text;
    }

    /** As {@link #apply}; generated code calls it by name. */
    public DoubleUnaryOperator meaning() {
        return meaning;
    }

    /** Its derivative, if it is a smooth function of floats. */
    public Optional<Pullback> pullback() {
        return pullback;
    }

    private static double noFloat(double x) {
        throw new IllegalArgumentException("a function of " + x + " that gives no float");
    }

    private static Scalar lit(double value) {
        return new Scalar.Lit(DType.F64, value);
    }

    private static Scalar square(Scalar x) {
        return x.mul(x);
    }

    private static Scalar rsqrt(Scalar x) {
        return lit(1).div(x.sqrt());
    }

    /** The cosine, for rows above {@code COS}, which cannot refer to it. */
    private static Scalar cos(Scalar x) {
        return x.apply(COS);
    }

    private static Scalar cosh(Scalar x) {
        return x.apply(COSH);
    }

    /** Two over the root of pi. */
    private static double bell() {
        return 2 / Math.sqrt(Math.PI);
    }
}
