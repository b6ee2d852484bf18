package dev.ebb.nn.onnx;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Products and normalisations. */
final class NetworkRules {
    private NetworkRules() {}

    static OpTable table() {
        return new OpTable()
                .binary("MatMul", 1, Tensor::matmul)
                .one("Gemm", 7, NetworkRules::gemm)
                .one("Einsum", 12, NetworkRules::einsum)
                .unary("Det", 11, Tensor::det)
                .one("Softmax", 13, (n, in) -> in.tensor(0).softmax(n.integer("axis", -1)))
                .one("LogSoftmax", 13, (n, in) -> in.tensor(0).logSoftmax(n.integer("axis", -1)))
                .many("LayerNormalization", 17, NetworkRules::layerNorm)
                .many("BatchNormalization", 9, NetworkRules::batchNorm)
                .one("InstanceNormalization", 6, NetworkRules::instanceNorm)
                .one("GroupNormalization", 21, NetworkRules::groupNorm)
                .one("LRN", 1, NetworkRules::localResponse)
                .one("MeanVarianceNormalization", 9, NetworkRules::standardised);
    }

    private static Tensor gemm(OnnxNode node, Operands in) {
        var a = in.tensor(0);
        var b = in.tensor(1);
        if (node.flag("transA", false)) a = a.transpose();
        if (node.flag("transB", false)) b = b.transpose();
        var y = a.matmul(b);
        double alpha = node.number("alpha", 1);
        double beta = node.number("beta", 1);
        if (alpha != 1) y = y.mul(alpha);
        if (!in.has(2)) return y;
        return y.add(beta == 1 ? in.tensor(2) : in.tensor(2).mul(beta));
    }

    private static Tensor einsum(OnnxNode node, Operands in) {
        var equation = explicit(node.text("equation", "").replace(" ", ""));
        return in.tensor(0).einsum(equation, in.from(1).toArray(Tensor[]::new));
    }

    /** Without an arrow the result has the letters that occur once, in alphabetical order. */
    private static String explicit(String equation) {
        if (equation.contains("->")) return equation;
        var counts = new TreeMap<Character, Integer>();
        for (char c : equation.toCharArray())
            if (Character.isLetter(c)) counts.merge(c, 1, Integer::sum);
        var result = new StringBuilder(equation.contains("...") ? "..." : "");
        counts.forEach(
                (letter, count) -> {
                    if (count == 1) result.append(letter);
                });
        return equation + "->" + result;
    }

    private static List<Tensor> layerNorm(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(node.integer("axis", -1));
        double epsilon = node.number("epsilon", 1e-5);
        var tail = new Shape(x.shape().dims().subList(axis, x.rank()));
        var scale = in.tensor(1).broadcastTo(tail);
        var bias = in.has(2) ? in.tensor(2).broadcastTo(tail) : scale.mul(0);
        var y = x.layerNorm(scale, bias, epsilon);
        if (node.outputs().size() == 1) return List.of(y);
        var axes = IntStream.range(axis, x.rank()).boxed().toList();
        var spread = x.variance(axes, 0, true).add(epsilon).rsqrt();
        return List.of(y, x.mean(axes, true), spread);
    }

    /**
     * In training mode the batch's statistics are used, and the updated running ones are further
     * outputs.
     */
    private static List<Tensor> batchNorm(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var scale = in.tensor(1);
        var bias = in.tensor(2);
        var mean = in.tensor(3);
        var variance = in.tensor(4);
        double epsilon = node.number("epsilon", 1e-5);
        if (!node.flag("training_mode", false))
            return List.of(x.batchNorm(scale, bias, mean, variance, epsilon));
        double momentum = node.number("momentum", 0.9);
        var made = x.batchNorm(scale, bias, epsilon);
        return List.of(
                made.y(),
                mean.mul(momentum).add(made.mean().mul(1 - momentum)),
                variance.mul(momentum).add(made.variance().mul(1 - momentum)));
    }

    private static Tensor instanceNorm(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        double epsilon = node.number("epsilon", 1e-5);
        return x.groupNorm(x.dim(1), in.tensor(1), in.tensor(2), epsilon);
    }

    private static Tensor groupNorm(OnnxNode node, Operands in) {
        int groups = node.integer("num_groups", 1);
        double epsilon = node.number("epsilon", 1e-5);
        return in.tensor(0).groupNorm(groups, in.tensor(1), in.tensor(2), epsilon);
    }

    /** Each element divided by a power of the sum of squares over the channels around it. */
    private static Tensor localResponse(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int size = node.integer("size", 1);
        var low = new ArrayList<>(Collections.nCopies(x.rank(), 0));
        var high = new ArrayList<>(low);
        low.set(1, (size - 1) / 2);
        high.set(1, size / 2);
        var squares = x.square().pad(low, high);
        var sum = squares.slice(1, 0, x.dim(1));
        for (int i = 1; i < size; i++) sum = sum.add(squares.slice(1, i, i + x.dim(1)));
        var scale = sum.mul(node.number("alpha", 1e-4) / size).add(node.number("bias", 1));
        return x.div(scale.pow(node.number("beta", 0.75)));
    }

    /** The standard adds 1e-9 to the standard deviation. */
    private static Tensor standardised(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var axes = node.has("axes") ? node.list("axes") : List.of(0, 2, 3);
        var centred = x.sub(x.mean(axes, true));
        return centred.div(x.variance(axes, 0, true).sqrt().add(1e-9));
    }
}
