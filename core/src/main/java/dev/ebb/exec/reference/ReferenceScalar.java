package dev.ebb.exec.reference;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.math.Checks;
import dev.ebb.ir.math.Half;
import dev.ebb.ir.math.Philox;

import java.util.ArrayList;
import java.util.List;

/** Evaluates scalar expressions: each function in double, rounded to its compute type. */
final class ReferenceScalar {

    /** A float is stored in {@code real}, an integer or truth value in {@code whole}. */
    record Element(DType type, double real, long whole) {

        static Element of(DType type, double x) {
            return switch (type.compute()) {
                case F32 -> new Element(DType.F32, (float) x, 0);
                case F64 -> new Element(DType.F64, x, 0);
                case I32 -> new Element(DType.I32, 0, (int) (long) x);
                case I64 -> new Element(DType.I64, 0, (long) x);
                case BOOL -> new Element(DType.BOOL, 0, x != 0 ? 1 : 0);
                case BF16, F16, U8, BIT ->
                        throw new IllegalStateException(type + " is not computed in");
            };
        }

        static Element of(DType type, long x) {
            return type.isFloat()
                    ? of(type, (double) x)
                    : new Element(type, 0, type == DType.I32 ? (int) x : x);
        }

        static Element truth(boolean x) {
            return new Element(DType.BOOL, 0, x ? 1 : 0);
        }

        void into(Buffer out, long i) {
            if (type.isFloat()) out.set(i, real);
            else out.setLong(i, whole);
        }
    }

    private final List<Buffer> operands;
    private final IndexWalk walk;
    private final List<Element> replaced = new ArrayList<>();
    private final List<Element> numbers = new ArrayList<>();

    ReferenceScalar(List<Buffer> operands, IndexWalk walk) {
        this.operands = operands;
        this.walk = walk;
    }

    /** Sets argument 0 to a number instead of an element of operand 0. */
    void first(DType type, double x) {
        replaced.clear();
        replaced.add(Element.of(type, x));
    }

    /** Sets the arguments that follow the operands. */
    void numbers(List<Element> elements) {
        numbers.clear();
        numbers.addAll(elements);
    }

    Element value(Scalar s) {
        return switch (s) {
            case Scalar.Arg(int i) -> argument(i);
            case Scalar.Lit(var type, double x) -> Element.of(type, x);
            case Scalar.Index(int axis) -> Element.of(DType.I32, (long) walk.index[axis]);
            case Scalar.Position _ -> Element.of(DType.I64, walk.position);
            case Scalar.Un(var fn, var x) -> unary(fn, value(x));
            case Scalar.Bin(var fn, var x, var y) -> binary(fn, value(x), value(y));
            case Scalar.Select(var c, var x, var y) -> value(c).whole != 0 ? value(x) : value(y);
            case Scalar.Cast(var to, var x) -> cast(to, value(x));
            case Scalar.Draw(var k, var c) ->
                    Element.of(DType.I32, (long) Philox.draw(value(k).whole, value(c).whole));
        };
    }

    private Element argument(int i) {
        if (i < replaced.size()) return replaced.get(i);
        if (i >= operands.size()) return numbers.get(i - operands.size());
        var buffer = operands.get(i);
        // a contraction's views begin with its two factors; its extras are arguments from 1 on
        long at = walk.offsets[replaced.isEmpty() ? i : i + 1];
        var type = buffer.dtype().compute();
        return type.isFloat()
                ? Element.of(type, buffer.get(at))
                : new Element(type, 0, buffer.getLong(at));
    }

    private static Element cast(DType to, Element x) {
        var type = to.compute();
        if (x.type.isFloat()) {
            return switch (to) {
                case F32, F64 -> Element.of(type, x.real);
                case BF16 -> Element.of(type, Half.fromBf16(Half.toBf16((float) x.real)));
                case F16 ->
                        Element.of(
                                type, Float.float16ToFloat(Float.floatToFloat16((float) x.real)));
                case I32 -> Element.of(type, (long) (int) x.real);
                case I64 -> Element.of(type, (long) x.real);
                case U8 -> Element.of(type, (long) ((int) x.real & 0xff));
                case BOOL, BIT -> Element.truth(x.real != 0);
            };
        }
        return switch (to) {
            case F32, F64 -> Element.of(type, (double) x.whole);
            case BF16, F16 -> cast(to, Element.of(DType.F32, (double) x.whole));
            case I32, I64 -> Element.of(type, x.whole);
            case U8 -> Element.of(type, x.whole & 0xff);
            case BOOL, BIT -> Element.truth(x.whole != 0);
        };
    }

    private static Element unary(Fn1 fn, Element x) {
        if (x.type.isFloat()) {
            return fn == Fn1.IS_NAN
                    ? Element.truth(Double.isNaN(x.real))
                    : Element.of(x.type, fn.apply(x.real));
        }
        return switch (fn) {
            case NEG -> Element.of(x.type, -x.whole);
            case ABS -> Element.of(x.type, Math.abs(x.whole));
            case SIGN -> Element.of(x.type, (long) Long.signum(x.whole));
            case NOT ->
                    x.type == DType.BOOL
                            ? Element.truth(x.whole == 0)
                            : Element.of(x.type, ~x.whole);
            default -> throw new IllegalStateException(fn + " of " + x.type);
        };
    }

    private static Element binary(Scalar.Fn2 fn, Element x, Element y) {
        if (x.type.isFloat()) {
            return fn.compares()
                    ? Element.truth(fn.holds(x.real, y.real))
                    : Element.of(x.type, fn.apply(x.real, y.real));
        }
        if (fn.compares()) return Element.truth(fn.holds(Long.compare(x.whole, y.whole), 0));
        long a = x.whole;
        long b = y.whole;
        boolean narrow = x.type == DType.I32;
        return Element.of(
                x.type,
                switch (fn) {
                    case ADD -> a + b;
                    case SUB -> a - b;
                    case MUL -> a * b;
                    case DIV -> Checks.quotient(a, b);
                    case REM -> Checks.rest(a, b);
                    case MAX -> Math.max(a, b);
                    case MIN -> Math.min(a, b);
                    case AND -> a & b;
                    case OR -> a | b;
                    case XOR -> a ^ b;
                    case SHL -> narrow ? (int) a << b : a << b;
                    case SHR -> narrow ? (int) a >> b : a >> b;
                    case USHR -> narrow ? (int) a >>> b : a >>> b;
                    case POW, ATAN2, HYPOT, POLYGAMMA, EQ, NE, LT, LE, GT, GE ->
                            throw new IllegalStateException(fn + " of " + x.type);
                });
    }
}
