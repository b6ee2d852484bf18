package dev.ebb.ir;

import java.util.List;

/**
 * Which types meet in a scalar expression. There are no silent conversions: operands must agree.
 */
final class ScalarTypes {
    private ScalarTypes() {}

    static DType of(Scalar s, List<DType> args) {
        return switch (s) {
            case Scalar.Arg(int i) -> args.get(i).compute();
            case Scalar.Lit(var type, _) -> type;
            case Scalar.Index _ -> DType.I32;
            case Scalar.Position _ -> DType.I64;
            case Scalar.Un(var fn, var x) -> unary(fn, of(x, args));
            case Scalar.Bin(var fn, var x, var y) -> binary(fn, of(x, args), of(y, args));
            case Scalar.Select(var c, var x, var y) ->
                    select(of(c, args), of(x, args), of(y, args));
            case Scalar.Cast(var to, var x) -> {
                of(x, args);
                yield to.compute();
            }
            case Scalar.Draw(var k, var c) -> {
                require(
                        of(k, args) == DType.I64 && of(c, args) == DType.I64,
                        "a draw needs an i64 key and counter");
                yield DType.I32;
            }
        };
    }

    private static DType unary(Scalar.Fn1 fn, DType x) {
        return switch (fn) {
            case NEG, ABS, SIGN -> {
                require(x != DType.BOOL, fn + " of a truth value");
                yield x;
            }
            case NOT -> {
                require(!x.isFloat(), "NOT of " + x);
                yield x;
            }
            case IS_NAN -> {
                require(x.isFloat(), "IS_NAN of " + x);
                yield DType.BOOL;
            }
            case FLOOR,
                    CEIL,
                    ROUND,
                    SQRT,
                    EXP,
                    EXPM1,
                    LOG,
                    LOG1P,
                    LOG2,
                    SIN,
                    COS,
                    TAN,
                    ASIN,
                    ACOS,
                    ATAN,
                    SINH,
                    COSH,
                    TANH,
                    ASINH,
                    ACOSH,
                    ATANH,
                    ERF,
                    ERFC,
                    ERFINV,
                    LGAMMA -> {
                require(x.isFloat(), fn + " needs floats, not " + x + "; cast first");
                yield x;
            }
        };
    }

    private static DType binary(Scalar.Fn2 fn, DType x, DType y) {
        require(x == y, fn + " of " + x + " and " + y + "; cast one of them");
        return switch (fn) {
            case EQ, NE, LT, LE, GT, GE -> DType.BOOL;
            case ADD, SUB, MUL, DIV, REM -> {
                require(x != DType.BOOL, fn + " of truth values; cast first");
                yield x;
            }
            case MAX, MIN -> x;
            case POW, ATAN2, HYPOT, POLYGAMMA -> {
                require(x.isFloat(), fn + " needs floats, not " + x + "; cast first");
                yield x;
            }
            case AND, OR, XOR -> {
                require(!x.isFloat(), fn + " of " + x);
                yield x;
            }
            case SHL, SHR, USHR -> {
                require(x == DType.I32 || x == DType.I64, fn + " of " + x);
                yield x;
            }
        };
    }

    private static DType select(DType c, DType x, DType y) {
        require(c == DType.BOOL, "a condition must be bool, not " + c);
        require(x == y, "the two sides of a select are " + x + " and " + y + "; cast one of them");
        return x;
    }

    private static void require(boolean holds, String fault) {
        if (!holds) throw new ShapeException(fault);
    }
}
