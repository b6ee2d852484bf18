package dev.ebb.nn.onnx.export;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.nn.onnx.export.GraphWriter.Named;
import dev.ebb.nn.onnx.wire.ProtobufWriter;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes the body of an elementwise kernel as nodes, one for each function in it. */
final class ElementWriter {
    private final GraphWriter graph;
    private final Shape shape;
    private final List<Named> arguments;
    private final Map<Scalar, Named> made = new HashMap<>();

    /**
     * @param shape over which the kernel iterates
     * @param arguments operands that broadcast to it
     */
    ElementWriter(GraphWriter graph, Shape shape, List<Named> arguments) {
        this.graph = graph;
        this.shape = shape;
        this.arguments = arguments;
    }

    /** The value of {@code body}, which broadcasts to the shape. */
    Named of(Scalar body) {
        var found = made.get(body);
        if (found != null) return found;
        var value =
                switch (body) {
                    case Scalar.Arg(int i) ->
                            graph.cast(arguments.get(i), arguments.get(i).dtype().compute());
                    case Scalar.Lit(var type, double x) -> graph.scalar(type, x);
                    case Scalar.Index(int axis) ->
                            graph.counting(DType.I32, shape.dim(axis), axis, shape.rank());
                    case Scalar.Position _ -> position();
                    case Scalar.Un(var fn, var x) -> unary(fn, of(x));
                    case Scalar.Bin(var fn, var x, var y) -> binary(fn, of(x), of(y));
                    case Scalar.Select(var c, var x, var y) -> select(of(c), of(x), of(y));
                    case Scalar.Cast(var to, var x) ->
                            graph.cast(graph.cast(of(x), to), to.compute());
                    case Scalar.Draw _ ->
                            throw new NotExportableException(
                                    "random numbers; export the model as it is used, without"
                                            + " dropout");
                };
        made.put(body, value);
        return value;
    }

    private Named position() {
        int size = Math.toIntExact(shape.size());
        return graph.reshaped(graph.counting(DType.I64, size, 0, 1), shape);
    }

    private Named one(String op, Named x) {
        return graph.node(op, x.dtype(), x.shape(), List.of(x));
    }

    private Named two(String op, Named x, Named y) {
        return graph.node(op, x.dtype(), Shape.broadcast(x.shape(), y.shape()), List.of(x, y));
    }

    private Named test(String op, Named x, Named y) {
        var both = Shape.broadcast(x.shape(), y.shape());
        return graph.node(op, DType.BOOL, both, List.of(x, y));
    }

    private Named select(Named condition, Named yes, Named no) {
        var both = Shape.broadcast(yes.shape(), no.shape());
        return graph.node(
                "Where",
                yes.dtype(),
                Shape.broadcast(condition.shape(), both),
                List.of(condition, yes, no));
    }

    private Named number(Named like, double value) {
        return graph.scalar(like.dtype(), value);
    }

    private Named unary(Fn1 fn, Named x) {
        return switch (fn) {
            case NEG -> one("Neg", x);
            case ABS -> one("Abs", x);
            case SIGN -> one("Sign", x);
            case FLOOR -> one("Floor", x);
            case CEIL -> one("Ceil", x);
            case ROUND -> one("Round", x);
            case SQRT -> one("Sqrt", x);
            case EXP -> one("Exp", x);
            case LOG -> one("Log", x);
            case SIN -> one("Sin", x);
            case COS -> one("Cos", x);
            case TAN -> one("Tan", x);
            case ASIN -> one("Asin", x);
            case ACOS -> one("Acos", x);
            case ATAN -> one("Atan", x);
            case SINH -> one("Sinh", x);
            case COSH -> one("Cosh", x);
            case TANH -> one("Tanh", x);
            case ASINH -> one("Asinh", x);
            case ACOSH -> one("Acosh", x);
            case ATANH -> one("Atanh", x);
            case ERF -> one("Erf", x);
            case CBRT -> two("Mul", one("Sign", x), two("Pow", one("Abs", x), number(x, 1 / 3.0)));
            case EXPM1 -> two("Sub", one("Exp", x), number(x, 1));
            case LOG1P -> one("Log", two("Add", x, number(x, 1)));
            case LOG2 -> two("Div", one("Log", x), number(x, StrictMath.log(2)));
            case ERFC -> two("Sub", number(x, 1), one("Erf", x));
            case IS_NAN -> graph.node("IsNaN", DType.BOOL, x.shape(), List.of(x));
            case NOT -> {
                if (x.dtype() != DType.BOOL)
                    throw new NotExportableException("bits of " + x.dtype());
                yield one("Not", x);
            }
            case ERFINV, NORMAL_QUANTILE, LGAMMA ->
                    throw new NotExportableException("ONNX has no function " + fn);
        };
    }

    private Named binary(Scalar.Fn2 fn, Named x, Named y) {
        boolean truths = x.dtype() == DType.BOOL;
        return switch (fn) {
            case ADD -> two("Add", x, y);
            case SUB -> two("Sub", x, y);
            case MUL -> two("Mul", x, y);
            case DIV -> two("Div", x, y);
            case POW -> two("Pow", x, y);
            case MAX -> two(truths ? "Or" : "Max", x, y);
            case MIN -> two(truths ? "And" : "Min", x, y);
            case REM ->
                    graph.node(
                            "Mod",
                            x.dtype(),
                            Shape.broadcast(x.shape(), y.shape()),
                            List.of(x, y),
                            ProtobufWriter.attribute("fmod", 1));
            case HYPOT -> one("Sqrt", two("Add", two("Mul", x, x), two("Mul", y, y)));
            case EQ -> test("Equal", x, y);
            case NE -> one("Not", test("Equal", x, y));
            case LT -> test("Less", x, y);
            case LE -> test("LessOrEqual", x, y);
            case GT -> test("Greater", x, y);
            case GE -> test("GreaterOrEqual", x, y);
            case AND -> two(logic("And", truths), x, y);
            case OR -> two(logic("Or", truths), x, y);
            case XOR -> two(logic("Xor", truths), x, y);
            case ATAN2, POLYGAMMA, SHL, SHR, USHR ->
                    throw new NotExportableException("ONNX has no function " + fn);
        };
    }

    private static String logic(String op, boolean truths) {
        if (truths) return op;
        throw new NotExportableException(op + " of the bits of whole numbers");
    }
}
