package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.nn.onnx.wire.ElementKind;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.function.BinaryOperator;

/** Elementwise ops. */
final class ElementRules {
    private ElementRules() {}

    static OpTable table() {
        var table = new OpTable();
        functions(table);
        activations(table);
        comparisons(table);
        return table.binary("Add", 7, Tensor::add)
                .binary("Sub", 7, Tensor::sub)
                .binary("Mul", 7, Tensor::mul)
                .binary("Div", 7, Tensor::div)
                .one("Mod", 10, ElementRules::mod)
                .one("Pow", 7, (_, in) -> pow(in.tensor(0), in.tensor(1)))
                .one("Min", 8, (_, in) -> folded(in, Tensor::minimum))
                .one("Max", 8, (_, in) -> folded(in, Tensor::maximum))
                .one("Sum", 8, (_, in) -> folded(in, Tensor::add))
                .one("Mean", 8, (_, in) -> folded(in, Tensor::add).div((double) in.size()))
                .one("Clip", 6, ElementRules::clip)
                .one("Cast", 6, ElementRules::cast)
                .one("CastLike", 15, (_, in) -> in.tensor(0).cast(in.tensor(1).dtype()))
                .unary("Identity", 1, x -> x)
                .many("Dropout", 7, ElementRules::dropout);
    }

    private static void functions(OpTable table) {
        table.unary("Abs", 1, Tensor::abs)
                .unary("Neg", 1, Tensor::neg)
                .unary("Sign", 9, Tensor::sign)
                .unary("Sqrt", 1, Tensor::sqrt)
                .unary("Reciprocal", 1, Tensor::reciprocal)
                .unary("Exp", 1, Tensor::exp)
                .unary("Log", 1, Tensor::log)
                .unary("Floor", 1, Tensor::floor)
                .unary("Ceil", 1, Tensor::ceil)
                .unary("Round", 11, Tensor::round)
                .unary("Sin", 7, Tensor::sin)
                .unary("Cos", 7, Tensor::cos)
                .unary("Tan", 7, Tensor::tan)
                .unary("Asin", 7, Tensor::asin)
                .unary("Acos", 7, Tensor::acos)
                .unary("Atan", 7, Tensor::atan)
                .unary("Sinh", 9, Tensor::sinh)
                .unary("Cosh", 9, Tensor::cosh)
                .unary("Tanh", 1, Tensor::tanh)
                .unary("Asinh", 9, Tensor::asinh)
                .unary("Acosh", 9, Tensor::acosh)
                .unary("Atanh", 9, Tensor::atanh)
                .unary("Erf", 9, Tensor::erf);
    }

    private static void activations(OpTable table) {
        table.unary("Relu", 1, Tensor::relu)
                .unary("Sigmoid", 1, Tensor::sigmoid)
                .unary("Softplus", 1, Tensor::softplus)
                .unary("Softsign", 1, Tensor::softsign)
                .unary("HardSwish", 14, Tensor::hardswish)
                .unary("Mish", 18, Tensor::mish)
                .one("LeakyRelu", 1, (n, in) -> in.tensor(0).leakyRelu(n.number("alpha", 0.01)))
                .one("Elu", 1, (n, in) -> in.tensor(0).elu(n.number("alpha", 1)))
                .one("Celu", 12, (n, in) -> celu(in.tensor(0), n.number("alpha", 1)))
                .one("Selu", 6, ElementRules::selu)
                .one("Gelu", 20, ElementRules::gelu)
                .one("HardSigmoid", 6, ElementRules::hardSigmoid)
                .one("ThresholdedRelu", 10, ElementRules::thresholdedRelu)
                .one("Shrink", 9, ElementRules::shrink)
                .binary("PRelu", 7, (x, slope) -> Tensors.where(x.lt(0), x.mul(slope), x));
    }

    private static void comparisons(OpTable table) {
        table.binary("Equal", 7, Tensor::eq)
                .binary("Greater", 7, Tensor::gt)
                .binary("GreaterOrEqual", 12, Tensor::ge)
                .binary("Less", 7, Tensor::lt)
                .binary("LessOrEqual", 12, Tensor::le)
                .binary("And", 7, Tensor::and)
                .binary("Or", 7, Tensor::or)
                .binary("Xor", 7, Tensor::xor)
                .unary("Not", 1, Tensor::not)
                .unary("IsNaN", 9, Tensor::isNan)
                .one("IsInf", 10, ElementRules::isInfinite)
                .one(
                        "Where",
                        9,
                        (_, in) -> Tensors.where(in.tensor(0), in.tensor(1), in.tensor(2)));
    }

    private static Tensor folded(Operands in, BinaryOperator<Tensor> f) {
        return in.from(0).stream().reduce(f).orElseThrow();
    }

    /** With fmod the result has the sign of the dividend, otherwise that of the divisor. */
    private static Tensor mod(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var y = in.tensor(1);
        if (!node.flag("fmod", false)) return x.remainder(y);
        var rest = x.abs().remainder(y.abs());
        return Tensors.where(x.lt(0), rest.neg(), rest);
    }

    /** The result has the base's type, whatever the exponent's type. */
    private static Tensor pow(Tensor x, Tensor y) {
        if (x.dtype().isFloat()) return x.pow(y.cast(x.dtype()));
        return x.cast(DType.F64).pow(y.cast(DType.F64)).cast(x.dtype());
    }

    /** Bounds are inputs since opset 11; before, they were attributes. */
    private static Tensor clip(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        if (node.has("min")) x = x.maximum(node.number("min", 0));
        if (node.has("max")) x = x.minimum(node.number("max", 0));
        if (in.has(1)) x = x.maximum(in.tensor(1));
        return in.has(2) ? x.minimum(in.tensor(2)) : x;
    }

    private static Tensor cast(OnnxNode node, Operands in) {
        long to = node.whole("to", 0);
        var dtype = ElementKind.dtype(to);
        if (dtype.isEmpty()) throw node.refused("a cast to ONNX's element type " + to);
        return in.tensor(0).cast(dtype.get());
    }

    /** As in inference: nothing is dropped. */
    private static List<Tensor> dropout(OnnxNode node, Operands in) {
        boolean drops = !in.has(1) || in.real(1) != 0;
        if (in.has(2) && in.truth(2) && drops)
            throw node.refused("training mode; export the model for inference");
        var x = in.tensor(0);
        if (node.outputs().size() < 2) return List.of(x);
        return List.of(x, Tensors.ones(DType.BOOL, x.shape()));
    }

    private static Tensor celu(Tensor x, double alpha) {
        return x.div(alpha).elu(1).mul(alpha);
    }

    private static Tensor selu(OnnxNode node, Operands in) {
        double alpha = node.number("alpha", 1.6732631921768188);
        return in.tensor(0).elu(alpha).mul(node.number("gamma", 1.0507010221481323));
    }

    private static Tensor gelu(OnnxNode node, Operands in) {
        boolean tanh = node.text("approximate", "none").equals("tanh");
        return tanh ? in.tensor(0).geluTanh() : in.tensor(0).gelu();
    }

    private static Tensor hardSigmoid(OnnxNode node, Operands in) {
        var line = in.tensor(0).mul(node.number("alpha", 0.2)).add(node.number("beta", 0.5));
        return line.clamp(0, 1);
    }

    private static Tensor thresholdedRelu(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        return Tensors.where(x.gt(node.number("alpha", 1)), x, x.literal(0));
    }

    private static Tensor shrink(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        double bound = node.number("lambd", 0.5);
        double bias = node.number("bias", 0);
        var high = Tensors.where(x.gt(bound), x.sub(bias), x.literal(0));
        return Tensors.where(x.lt(-bound), x.add(bias), high);
    }

    private static Tensor isInfinite(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var high = x.eq(Double.POSITIVE_INFINITY);
        var low = x.eq(Double.NEGATIVE_INFINITY);
        boolean positive = node.flag("detect_positive", true);
        boolean negative = node.flag("detect_negative", true);
        if (positive && negative) return high.or(low);
        if (positive) return high;
        return negative ? low : Tensors.zeros(DType.BOOL, x.shape());
    }
}
