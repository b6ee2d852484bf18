package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/** Reductions, running sums and sorting. */
final class ReductionRules {
    private ReductionRules() {}

    private interface Reduction {
        Tensor of(Tensor x, List<Integer> axes, boolean keep);
    }

    private interface Search {
        Tensor of(Tensor x, int axis, boolean keep);
    }

    static OpTable table() {
        var table = new OpTable();
        reduction(table, "ReduceSum", Tensor::sum);
        reduction(table, "ReduceMean", ReductionRules::mean);
        reduction(table, "ReduceMax", Tensor::amax);
        reduction(table, "ReduceMin", Tensor::amin);
        reduction(table, "ReduceProd", Tensor::prod);
        reduction(table, "ReduceL1", (x, axes, keep) -> x.abs().sum(axes, keep));
        reduction(table, "ReduceL2", (x, axes, keep) -> x.norm(2, axes, keep));
        reduction(table, "ReduceSumSquare", (x, axes, keep) -> x.square().sum(axes, keep));
        reduction(table, "ReduceLogSum", (x, axes, keep) -> x.sum(axes, keep).log());
        reduction(table, "ReduceLogSumExp", Tensor::logsumexp);
        return table.one("ArgMax", 1, (node, in) -> place(node, in.tensor(0), Tensor::argmax))
                .one("ArgMin", 1, (node, in) -> place(node, in.tensor(0), Tensor::argmin))
                .one("CumSum", 11, ReductionRules::cumulated)
                .many("TopK", 10, ReductionRules::top)
                .one("Hardmax", 13, ReductionRules::hardmax);
    }

    /** A reduction keeps the element type; Ebb's sums of integers are I64. */
    private static void reduction(OpTable table, String name, Reduction reduction) {
        table.one(
                name,
                1,
                (node, in) -> {
                    var x = in.tensor(0);
                    var axes = in.listed("axes", 1).orElse(List.of());
                    if (axes.isEmpty() && node.flag("noop_with_empty_axes", false)) return x;
                    var all = axes.isEmpty() ? x.shape().allAxes() : x.shape().axes(axes);
                    return reduction.of(x, all, node.flag("keepdims", true)).cast(x.dtype());
                });
    }

    private static Tensor mean(Tensor x, List<Integer> axes, boolean keep) {
        if (x.dtype().isFloat()) return x.mean(axes, keep);
        double count = 1;
        for (int axis : axes) count *= x.dim(axis);
        return x.sum(axes, keep).div(count);
    }

    private static Tensor place(OnnxNode node, Tensor x, Search search) {
        int axis = x.shape().axis(node.integer("axis", 0));
        boolean keep = node.flag("keepdims", true);
        if (!node.flag("select_last_index", false)) return search.of(x, axis, keep);
        return search.of(x.flip(axis), axis, keep).neg().add(x.dim(axis) - 1);
    }

    private static Tensor cumulated(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(in.number(1));
        boolean reverse = node.flag("reverse", false);
        var ordered = reverse ? x.flip(axis) : x;
        var sums = ordered.cumsum(axis).cast(x.dtype());
        if (node.flag("exclusive", false)) sums = sums.sub(ordered);
        return reverse ? sums.flip(axis) : sums;
    }

    private static List<Tensor> top(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(node.integer("axis", -1));
        var order = x.argsort(axis, node.flag("largest", true)).slice(axis, 0, in.number(1));
        return List.of(x.gather(axis, order), order);
    }

    private static Tensor hardmax(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(node.integer("axis", -1));
        var places = Tensors.iota(DType.I64, new Shape(x.shape().dims()), axis);
        return places.eq(x.argmax(axis, true)).cast(x.dtype());
    }
}
