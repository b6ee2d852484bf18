package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Scalar.Fn2;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes scalar expressions as statements; common subexpressions are computed once. */
final class Expression {

    /** The names by which the surrounding text refers to an expression's inputs. */
    interface Names {
        String argument(int index);

        /** The index along an axis of the kernel's shape, an i32. */
        String index(int axis);

        /** The row-major position in the kernel's shape, an i64. */
        String position();
    }

    private final SourceLines code;
    private final List<DType> types;
    private final Names names;
    private final String prefix;
    private final String note;
    private final boolean quick;
    private final Map<Scalar, String> known = new HashMap<>();

    /**
     * @param types the stored types of all arguments
     * @param prefix the prefix of the names of its values
     */
    Expression(SourceLines code, List<DType> types, Names names, String prefix) {
        this(code, types, names, prefix, "", false);
    }

    /**
     * @param note where a division by zero is noted, and the node's number: two operands
     * @param quick whether exponentials and quotients of f32 need only the precision of a
     *     sixteen-bit result
     */
    Expression(
            SourceLines code,
            List<DType> types,
            Names names,
            String prefix,
            String note,
            boolean quick) {
        this.code = code;
        this.types = types;
        this.names = names;
        this.prefix = prefix;
        this.note = note;
        this.quick = quick;
    }

    private static boolean isDivision(Fn2 fn, DType type) {
        return (fn == Fn2.DIV || fn == Fn2.REM) && !type.isFloat();
    }

    /** Whether {@code s} contains an integer division, which fails for a divisor of zero. */
    static boolean divides(Scalar s, List<DType> types) {
        if (s instanceof Scalar.Bin(var fn, var x, _) && isDivision(fn, x.type(types))) return true;
        return s.parts().stream().anyMatch(part -> divides(part, types));
    }

    /** Writes the statements that compute {@code s} and returns the name of its value. */
    String value(Scalar s) {
        var before = known.get(s);
        if (before != null) return before;
        var text = text(s);
        var name = text;
        if (!(s instanceof Scalar.Arg || s instanceof Scalar.Lit)) {
            name = prefix + known.size();
            code.add("const %s %s = %s;", CudaSyntax.computed(s.type(types)), name, text);
        }
        known.put(s, name);
        return name;
    }

    private String text(Scalar s) {
        return switch (s) {
            case Scalar.Arg(int i) -> names.argument(i);
            case Scalar.Lit(var type, double x) -> CudaSyntax.literal(type, x);
            case Scalar.Index(int axis) -> names.index(axis);
            case Scalar.Position _ -> names.position();
            case Scalar.Un(var fn, var x) ->
                    call(fn == Fn1.EXP && isQuick(x) ? "quick_exp" : name(fn), value(x));
            case Scalar.Bin(var fn, var x, var y) -> binary(fn, x, y);
            case Scalar.Select(var c, var x, var y) ->
                    value(c) + " ? " + value(x) + " : " + value(y);
            case Scalar.Cast(var to, var x) -> cast(to, x);
            case Scalar.Draw(var k, var c) -> call("philox", value(k), value(c));
        };
    }

    private boolean isQuick(Scalar x) {
        return quick && x.type(types).compute() == DType.F32;
    }

    private static String call(String fn, String... arguments) {
        return fn + "(" + String.join(", ", arguments) + ")";
    }

    private String binary(Fn2 fn, Scalar x, Scalar y) {
        var a = value(x);
        var b = value(y);
        var type = x.type(types);
        var sign =
                switch (fn) {
                    case ADD -> type.isFloat() ? "+" : "";
                    case SUB -> type.isFloat() ? "-" : "";
                    case MUL -> type.isFloat() ? "*" : "";
                    case DIV -> type.isFloat() ? "/" : "";
                    case EQ -> "==";
                    case NE -> "!=";
                    case LT -> "<";
                    case LE -> "<=";
                    case GT -> ">";
                    case GE -> ">=";
                    case REM,
                            MAX,
                            MIN,
                            POW,
                            ATAN2,
                            HYPOT,
                            POLYGAMMA,
                            AND,
                            OR,
                            XOR,
                            SHL,
                            SHR,
                            USHR ->
                            "";
                };
        if (fn == Fn2.DIV && isQuick(x)) return call("quick_divide", a, b);
        if (isDivision(fn, type) && !note.isEmpty()) b = call("divisor", a, b, note);
        return sign.isEmpty() ? call(name(fn), a, b) : a + " " + sign + " " + b;
    }

    private String cast(DType to, Scalar x) {
        var value = value(x);
        if (to == DType.BF16) {
            boolean single = x.type(types).compute() == DType.F32;
            return call("bfloat_rounded", single ? value : call("Down<f32>::of", value));
        }
        var down =
                "Down<"
                        + CudaSyntax.stored(to == DType.BIT ? DType.BOOL : to)
                        + ">::of("
                        + value
                        + ")";
        return switch (to) {
            case F32, F64, I32, I64, BOOL, BIT -> down;
            case F16, U8 -> "up(" + down + ")";
            case BF16 -> throw new IllegalStateException("bf16 is rounded by itself");
        };
    }

    private static String name(Fn1 fn) {
        return switch (fn) {
            case NEG -> "neg";
            case ABS -> "absolute";
            case SIGN -> "sign";
            case FLOOR -> "down";
            case CEIL -> "upward";
            case ROUND -> "even";
            case SQRT -> "root";
            case CBRT -> "fn_cbrt";
            case EXP -> "fn_exp";
            case EXPM1 -> "fn_expm1";
            case LOG -> "fn_log";
            case LOG1P -> "fn_log1p";
            case LOG2 -> "fn_log2";
            case SIN -> "fn_sin";
            case COS -> "fn_cos";
            case TAN -> "fn_tan";
            case ASIN -> "fn_asin";
            case ACOS -> "fn_acos";
            case ATAN -> "fn_atan";
            case SINH -> "fn_sinh";
            case COSH -> "fn_cosh";
            case TANH -> "fn_tanh";
            case ASINH -> "fn_asinh";
            case ACOSH -> "fn_acosh";
            case ATANH -> "fn_atanh";
            case ERF -> "fn_erf";
            case ERFC -> "fn_erfc";
            case ERFINV -> "fn_erfinv";
            case NORMAL_QUANTILE -> "fn_normal_quantile";
            case LGAMMA -> "fn_lgamma";
            case NOT -> "bitwise_not";
            case IS_NAN -> "is_nan";
        };
    }

    private static String name(Fn2 fn) {
        return switch (fn) {
            case ADD -> "add";
            case SUB -> "sub";
            case MUL -> "mul";
            case DIV -> "divide";
            case REM -> "rem";
            case MAX -> "maximum";
            case MIN -> "minimum";
            case POW -> "power";
            case ATAN2 -> "arctan2";
            case HYPOT -> "hypotenuse";
            case POLYGAMMA -> "fn_polygamma";
            case AND -> "bitwise_and";
            case OR -> "bitwise_or";
            case XOR -> "bitwise_xor";
            case SHL -> "shift_left";
            case SHR -> "shift_right";
            case USHR -> "shift_unsigned";
            case EQ, NE, LT, LE, GT, GE -> throw new IllegalStateException(fn + " has a sign");
        };
    }
}
