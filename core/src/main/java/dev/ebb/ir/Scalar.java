package dev.ebb.ir;

import dev.ebb.ir.math.Elementary;
import dev.ebb.ir.math.GammaFunctions;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A scalar expression: the body of an elementwise kernel, compiled by every device. Operands are
 * read in their {@link DType#compute compute type}; what a kernel stores is rounded to the output's
 * type.
 */
public sealed interface Scalar {

    /** The element of operand {@code index} at the current position. */
    record Arg(int index) implements Scalar {}

    /** A constant of a compute type. */
    record Lit(DType type, double value) implements Scalar {}

    /** The current index along one axis of the iteration shape, as I32. */
    record Index(int axis) implements Scalar {}

    /** The current position in row-major order of the iteration shape, as I64. */
    record Position() implements Scalar {}

    /** {@code fn} of one argument. */
    record Un(Fn1 fn, Scalar x) implements Scalar {}

    /** {@code fn} of two arguments. */
    record Bin(Fn2 fn, Scalar x, Scalar y) implements Scalar {}

    /** {@code yes} where the condition holds, else {@code no}; both are of one type. */
    record Select(Scalar condition, Scalar yes, Scalar no) implements Scalar {}

    /**
     * {@code x} converted to {@code to}, as if stored and read again: a sixteen-bit float is
     * rounded and stays in F32. Floats become integers as Java casts do; U8 wraps.
     */
    record Cast(DType to, Scalar x) implements Scalar {}

    /**
     * Thirty-two random bits, as I32: word {@code counter mod 4} of Philox 4x32-10 at {@code
     * counter / 4} under the I64 key. The same key and counter give the same bits, always and
     * everywhere.
     */
    record Draw(Scalar key, Scalar counter) implements Scalar {}

    /** Functions of two arguments; comparisons give BOOL. POLYGAMMA takes its order first. */
    enum Fn2 {
        ADD(1),
        SUB(1),
        MUL(1),
        DIV(4),
        REM(20),
        MAX(1),
        MIN(1),
        POW(80),
        ATAN2(80),
        HYPOT(20),
        POLYGAMMA(80),
        EQ(1),
        NE(1),
        LT(1),
        LE(1),
        GT(1),
        GE(1),
        AND(1),
        OR(1),
        XOR(1),
        SHL(1),
        SHR(1),
        USHR(1);

        private final int cost;

        Fn2(int cost) {
            this.cost = cost;
        }

        public boolean compares() {
            return compareTo(EQ) >= 0 && compareTo(GE) <= 0;
        }

        /**
         * The value at two floats in double, if it is a float; it defines the function for all
         * devices.
         */
        public double apply(double x, double y) {
            return switch (this) {
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
                        throw new IllegalArgumentException(this + " gives no float");
            };
        }

        /** Whether a comparison holds, of floats or of integers without rounding. */
        public boolean holds(double x, double y) {
            return switch (this) {
                case EQ -> x == y;
                case NE -> x != y;
                case LT -> x < y;
                case LE -> x <= y;
                case GT -> x > y;
                case GE -> x >= y;
                case ADD, SUB, MUL, DIV, REM, MAX, MIN, POW, ATAN2, HYPOT, POLYGAMMA ->
                        throw new IllegalArgumentException(this + " is no comparison");
                case AND, OR, XOR, SHL, SHR, USHR ->
                        throw new IllegalArgumentException(this + " is no comparison");
            };
        }

        /**
         * The result type for arguments of these compute types; refuses types that the function
         * does not accept.
         */
        DType type(DType x, DType y) {
            require(x == y, this + " of " + x + " and " + y + "; cast one of them");
            return switch (this) {
                case EQ, NE, LT, LE, GT, GE -> DType.BOOL;
                case ADD, SUB, MUL, DIV, REM -> {
                    require(x != DType.BOOL, this + " of truth values; cast first");
                    yield x;
                }
                case MAX, MIN -> x;
                case POW, ATAN2, HYPOT, POLYGAMMA -> {
                    require(x.isFloat(), this + " needs floats, not " + x + "; cast first");
                    yield x;
                }
                case AND, OR, XOR -> {
                    require(!x.isFloat(), this + " of " + x);
                    yield x;
                }
                case SHL, SHR, USHR -> {
                    require(x == DType.I32 || x == DType.I64, this + " of " + x);
                    yield x;
                }
            };
        }
    }

    static Scalar arg(int index) {
        return new Arg(index);
    }

    /**
     * The type of this expression when its arguments are stored as {@code args}. There are no
     * implicit conversions: types that do not fit are refused.
     */
    default DType type(List<DType> args) {
        return switch (this) {
            case Arg(int i) -> args.get(i).compute();
            case Lit(var type, _) -> type;
            case Index _ -> DType.I32;
            case Position _ -> DType.I64;
            case Un(var fn, var x) -> fn.type(x.type(args));
            case Bin(var fn, var x, var y) -> fn.type(x.type(args), y.type(args));
            case Select(var c, var x, var y) -> {
                var test = c.type(args);
                var yes = x.type(args);
                var no = y.type(args);
                require(test == DType.BOOL, "a condition must be bool, not " + test);
                require(
                        yes == no,
                        "the two sides of a select are "
                                + yes
                                + " and "
                                + no
                                + "; cast one of them");
                yield yes;
            }
            case Cast(var to, var x) -> {
                x.type(args);
                yield to.compute();
            }
            case Draw(var k, var c) -> {
                require(
                        k.type(args) == DType.I64 && c.type(args) == DType.I64,
                        "a draw needs an i64 key and counter");
                yield DType.I32;
            }
        };
    }

    private static void require(boolean holds, String fault) {
        if (!holds) throw new ShapeException(fault);
    }

    /** This expression with every argument replaced. */
    default Scalar mapArgs(UnaryOperator<Scalar> argument) {
        return switch (this) {
            case Arg a -> argument.apply(a);
            case Lit _, Index _, Position _ -> this;
            case Un(var fn, var x) -> new Un(fn, x.mapArgs(argument));
            case Bin(var fn, var x, var y) -> new Bin(fn, x.mapArgs(argument), y.mapArgs(argument));
            case Select(var c, var x, var y) ->
                    new Select(c.mapArgs(argument), x.mapArgs(argument), y.mapArgs(argument));
            case Cast(var to, var x) -> new Cast(to, x.mapArgs(argument));
            case Draw(var k, var c) -> new Draw(k.mapArgs(argument), c.mapArgs(argument));
        };
    }

    /** The operands of this expression's outermost function. */
    default List<Scalar> parts() {
        return switch (this) {
            case Arg _, Lit _, Index _, Position _ -> List.of();
            case Un(_, var x) -> List.of(x);
            case Bin(_, var x, var y) -> List.of(x, y);
            case Select(var c, var x, var y) -> List.of(c, x, y);
            case Cast(_, var x) -> List.of(x);
            case Draw(var k, var c) -> List.of(k, c);
        };
    }

    /**
     * Roughly the number of arithmetic instructions per element, which is the cost of recomputing
     * it in registers.
     */
    default int cost() {
        return own() + parts().stream().mapToInt(Scalar::cost).sum();
    }

    /** The cost of computing {@code bodies} together; equal subexpressions are computed once. */
    static int cost(List<Scalar> bodies) {
        var seen = new HashSet<Scalar>();
        return bodies.stream().mapToInt(b -> b.costBeyond(seen)).sum();
    }

    private int costBeyond(Set<Scalar> seen) {
        if (!seen.add(this)) return 0;
        return own() + parts().stream().mapToInt(p -> p.costBeyond(seen)).sum();
    }

    /** The cost of the outermost function. */
    private int own() {
        return switch (this) {
            case Arg _, Lit _, Index _, Position _ -> 0;
            case Un(var fn, _) -> fn.cost();
            case Bin(var fn, _, _) -> fn.cost;
            case Select _, Cast _ -> 1;
            case Draw _ -> 20;
        };
    }

    private Scalar un(Fn1 fn) {
        return new Un(fn, this);
    }

    private Scalar bin(Fn2 fn, Scalar y) {
        return new Bin(fn, this, y);
    }

    default Scalar neg() {
        return un(Fn1.NEG);
    }

    default Scalar abs() {
        return un(Fn1.ABS);
    }

    default Scalar sqrt() {
        return un(Fn1.SQRT);
    }

    default Scalar exp() {
        return un(Fn1.EXP);
    }

    default Scalar log() {
        return un(Fn1.LOG);
    }

    default Scalar log1p() {
        return un(Fn1.LOG1P);
    }

    default Scalar tanh() {
        return un(Fn1.TANH);
    }

    default Scalar erf() {
        return un(Fn1.ERF);
    }

    default Scalar not() {
        return un(Fn1.NOT);
    }

    default Scalar apply(Fn1 fn) {
        return un(fn);
    }

    default Scalar apply(Fn2 fn, Scalar y) {
        return bin(fn, y);
    }

    default Scalar add(Scalar y) {
        return bin(Fn2.ADD, y);
    }

    default Scalar sub(Scalar y) {
        return bin(Fn2.SUB, y);
    }

    default Scalar mul(Scalar y) {
        return bin(Fn2.MUL, y);
    }

    default Scalar div(Scalar y) {
        return bin(Fn2.DIV, y);
    }

    default Scalar max(Scalar y) {
        return bin(Fn2.MAX, y);
    }

    default Scalar min(Scalar y) {
        return bin(Fn2.MIN, y);
    }

    default Scalar gt(Scalar y) {
        return bin(Fn2.GT, y);
    }

    default Scalar lt(Scalar y) {
        return bin(Fn2.LT, y);
    }

    default Scalar ge(Scalar y) {
        return bin(Fn2.GE, y);
    }

    default Scalar le(Scalar y) {
        return bin(Fn2.LE, y);
    }

    default Scalar eq(Scalar y) {
        return bin(Fn2.EQ, y);
    }

    default Scalar and(Scalar y) {
        return bin(Fn2.AND, y);
    }

    default Scalar select(Scalar yes, Scalar no) {
        return new Select(this, yes, no);
    }

    default Scalar cast(DType to) {
        return new Cast(to, this);
    }
}
