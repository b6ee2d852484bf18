package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Conv;
import dev.ebb.tensor.network.Pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Products, convolutions, pools, norms and reductions. */
final class NetworkOps {
    private NetworkOps() {}

    static Tensor apply(OnnxNode node, Operands in) {
        return switch (node.op()) {
            case "MatMul" -> in.tensor(0).matmul(in.tensor(1));
            case "Gemm" -> gemm(node, in);
            case "Softmax" -> in.tensor(0).softmax((int) node.whole("axis", -1));
            case "LogSoftmax" -> in.tensor(0).logSoftmax((int) node.whole("axis", -1));
            case "LayerNormalization" -> layerNorm(node, in);
            case "BatchNormalization" -> batchNorm(node, in);
            case "Conv" -> conv(node, in);
            case "MaxPool" -> in.tensor(0).maxPool(pool(node));
            case "AveragePool" -> averagePool(node, in);
            case "GlobalAveragePool" -> {
                var x = in.tensor(0);
                yield x.mean(IntStream.range(2, x.rank()).boxed().toList(), true);
            }
            case "ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd" ->
                    reduced(node, in);
            case "ArgMax" -> {
                if (node.whole("select_last_index", 0) != 0)
                    throw node.refused("the last of equals");
                yield in.tensor(0)
                        .argmax((int) node.whole("axis", 0), node.whole("keepdims", 1) == 1);
            }
            default -> throw node.refused("this op is not implemented");
        };
    }

    private static Tensor gemm(OnnxNode node, Operands in) {
        var a = in.tensor(0);
        var b = in.tensor(1);
        if (node.whole("transA", 0) == 1) a = a.transpose();
        if (node.whole("transB", 0) == 1) b = b.transpose();
        var y = a.matmul(b);
        double alpha = node.number("alpha", 1);
        double beta = node.number("beta", 1);
        if (alpha != 1) y = y.mul(alpha);
        if (!in.has(2)) return y;
        return y.add(beta == 1 ? in.tensor(2) : in.tensor(2).mul(beta));
    }

    private static Tensor layerNorm(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = (int) node.whole("axis", -1);
        if (axis != -1 && axis != x.rank() - 1)
            throw node.refused("norms over the last axis are implemented, not from " + axis);
        if (node.outputs().size() > 1)
            throw node.refused("its mean and deviation are not implemented as outputs");
        var scale = in.tensor(1);
        var bias = in.has(2) ? in.tensor(2) : scale.mul(0);
        return x.layerNorm(scale, bias, node.number("epsilon", 1e-5));
    }

    private static Tensor batchNorm(OnnxNode node, Operands in) {
        if (node.whole("training_mode", 0) != 0)
            throw node.refused("training mode; export the model for inference");
        return in.tensor(0)
                .batchNorm(
                        in.tensor(1),
                        in.tensor(2),
                        in.tensor(3),
                        in.tensor(4),
                        node.number("epsilon", 1e-5));
    }

    private static void requirePads(OnnxNode node) {
        var kind = node.text("auto_pad", "NOTSET");
        if (!kind.equals("NOTSET")) throw node.refused("auto_pad " + kind + "; export with pads");
    }

    private static int[] numbers(OnnxNode node, String key, int axes, int otherwise) {
        var list = node.list(key);
        if (list.isEmpty()) list = Collections.nCopies(axes, otherwise);
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    private static Tensor conv(OnnxNode node, Operands in) {
        requirePads(node);
        var x = in.tensor(0);
        int axes = x.rank() - 2;
        var pads = numbers(node, "pads", 2 * axes, 0);
        var before = IntStream.range(0, axes).mapToObj(i -> pads[i]).toList();
        var after = IntStream.range(axes, 2 * axes).mapToObj(i -> pads[i]).toList();
        var geometry =
                Conv.plain()
                        .stride(numbers(node, "strides", axes, 1))
                        .dilation(numbers(node, "dilations", axes, 1))
                        .padding(before, after)
                        .groups((int) node.whole("group", 1));
        var y = x.conv(in.tensor(1), geometry);
        return in.has(2) ? y.addChannels(in.tensor(2)) : y;
    }

    private static Pool pool(OnnxNode node) {
        requirePads(node);
        var kernel = node.list("kernel_shape");
        int axes = kernel.size();
        if (node.whole("ceil_mode", 0) != 0) throw node.refused("ceil_mode");
        if (node.whole("storage_order", 0) != 0) throw node.refused("storage_order");
        for (int d : numbers(node, "dilations", axes, 1))
            if (d != 1) throw node.refused("a dilation of " + d);
        var pads = numbers(node, "pads", 2 * axes, 0);
        for (int i = 0; i < axes; i++)
            if (pads[i] != pads[i + axes])
                throw node.refused("padding that differs at the two ends");
        return Pool.of(kernel.stream().mapToInt(Integer::intValue).toArray())
                .stride(numbers(node, "strides", axes, 1))
                .padding(IntStream.range(0, axes).map(i -> pads[i]).toArray());
    }

    private static Tensor averagePool(OnnxNode node, Operands in) {
        var pool = pool(node);
        boolean padded = pool.padding().stream().anyMatch(p -> p > 0);
        if (padded && node.whole("count_include_pad", 0) == 0)
            throw node.refused("padding that does not count (count_include_pad is 0)");
        return in.tensor(0).avgPool(pool);
    }

    private static Tensor reduced(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var axes = new ArrayList<>(in.has(1) ? in.known(1) : node.list("axes"));
        if (axes.isEmpty()) {
            if (node.whole("noop_with_empty_axes", 0) == 1) return x;
            for (int i = 0; i < x.rank(); i++) axes.add(i);
        }
        var places = axes.stream().map(a -> a < 0 ? a + x.rank() : a).sorted().toList();
        boolean keep = node.whole("keepdims", 1) == 1;
        return reduced(node, x, places, keep);
    }

    private static Tensor reduced(OnnxNode node, Tensor x, List<Integer> axes, boolean keep) {
        return switch (node.op()) {
            case "ReduceMean" -> x.mean(axes, keep);
            case "ReduceSum" -> x.sum(axes, keep);
            case "ReduceMax" -> x.amax(axes, keep);
            case "ReduceMin" -> x.amin(axes, keep);
            default -> x.dtype() == DType.BOOL ? x.all(axes, keep) : x.prod(axes, keep);
        };
    }
}
