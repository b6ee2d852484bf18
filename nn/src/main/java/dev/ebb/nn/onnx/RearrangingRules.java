package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Ops that split, concatenate, pad and transpose tensors. */
final class RearrangingRules {
    private RearrangingRules() {}

    static OpTable table() {
        return new OpTable()
                .one("Concat", 4, (node, in) -> Tensors.concat(in.from(0), node.integer("axis", 0)))
                .many("Split", 2, RearrangingRules::split)
                .one("Slice", 10, RearrangingRules::slice)
                .one("Transpose", 1, RearrangingRules::transpose)
                .one("Trilu", 14, RearrangingRules::triangle)
                .growing("Tile", 6, RearrangingRules::tile)
                .one("Pad", 11, RearrangingRules::pad)
                .one("DepthToSpace", 1, RearrangingRules::depthToSpace)
                .one("SpaceToDepth", 1, RearrangingRules::spaceToDepth);
    }

    /**
     * Sizes are an input since opset 13 and an attribute before; if absent, the parts are equal.
     */
    private static List<Tensor> split(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = x.shape().axis(node.integer("axis", 0));
        var given = in.listed("split", 1);
        if (given.isPresent())
            return x.split(axis, given.get().stream().mapToInt(Integer::intValue).toArray());
        int count = node.integer("num_outputs", node.outputs().size());
        int size = x.dim(axis);
        int each = Math.ceilDiv(size, count);
        var sizes = new int[count];
        for (int i = 0; i < count; i++) sizes[i] = Math.clamp(size - (long) i * each, 0, each);
        return x.split(axis, sizes);
    }

    private static Tensor slice(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var starts = in.numbers(1);
        var stops = in.numbers(2);
        var axes = in.has(3) ? in.numbers(3) : x.shape().allAxes().subList(0, starts.size());
        var steps = in.has(4) ? in.numbers(4) : Collections.nCopies(starts.size(), 1);
        for (int i = 0; i < starts.size(); i++) {
            int axis = x.shape().axis(axes.get(i));
            x = sliced(node, x, axis, starts.get(i), stops.get(i), steps.get(i));
        }
        return x;
    }

    private static Tensor sliced(OnnxNode node, Tensor x, int axis, int start, int stop, int step) {
        int size = x.dim(axis);
        if (step == 0) throw node.refused("a step of zero");
        if (step > 0) {
            int first = ShapeRules.place(start, size);
            return x.slice(
                    axis, first, Math.max(first, ShapeRules.place(stop, size)), Math.abs(step));
        }
        // backwards: from start down to stop, exclusive, which may lie before the axis
        int first = Math.clamp(start < 0 ? (long) start + size : start, -1, size - 1);
        int end = Math.clamp(stop < 0 ? (long) stop + size : stop, -1, size - 1);
        long count = Math.ceilDiv(Math.max(0L, (long) first - end), -(long) step);
        if (count == 0) return x.slice(axis, 0, 0);
        int last = Math.toIntExact(first + (count - 1) * step);
        return x.slice(axis, last, first + 1, -step).flip(axis);
    }

    private static Tensor transpose(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var order = node.list("perm");
        return x.permute(order.isEmpty() ? x.shape().allAxes().reversed() : order);
    }

    private static Tensor triangle(OnnxNode node, Operands in) {
        int k = in.has(1) ? in.number(1) : 0;
        var x = in.tensor(0);
        var numbers = x.dtype().isTruth() ? x.cast(DType.I32) : x;
        var half = node.flag("upper", true) ? numbers.triu(k) : numbers.tril(k);
        return half.cast(x.dtype());
    }

    private static Tensor tile(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var times = in.numbers(1);
        for (int axis = 0; axis < times.size(); axis++) x = x.tile(times.get(axis), axis);
        return x;
    }

    private static Tensor pad(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var pads = in.numbers(1);
        var axes =
                in.has(3)
                        ? in.numbers(3).stream().map(x.shape()::axis).toList()
                        : x.shape().allAxes();
        var mode = node.text("mode", "constant");
        double value = in.has(2) ? in.real(2) : 0;
        for (int i = 0; i < axes.size(); i++) {
            int axis = axes.get(i);
            int low = pads.get(i);
            int high = pads.get(i + axes.size());
            x = x.slice(axis, Math.max(0, -low), x.dim(axis) - Math.max(0, -high));
            low = Math.max(0, low);
            high = Math.max(0, high);
            x =
                    switch (mode) {
                        case "constant" -> constant(x, axis, low, high, value);
                        case "reflect" -> reflected(x, axis, low, high);
                        case "edge" -> edges(x, axis, low, high);
                        default -> throw node.refused("the mode " + mode);
                    };
        }
        return x;
    }

    private static Tensor constant(Tensor x, int axis, int low, int high, double value) {
        var before = new ArrayList<>(Collections.nCopies(x.rank(), 0));
        var after = new ArrayList<>(before);
        before.set(axis, low);
        after.set(axis, high);
        return x.pad(before, after, value);
    }

    private static Tensor reflected(Tensor x, int axis, int low, int high) {
        int last = x.dim(axis) - 1;
        var before = x.slice(axis, 1, low + 1).flip(axis);
        return Tensors.concat(
                List.of(before, x, x.slice(axis, last - high, last).flip(axis)), axis);
    }

    private static Tensor edges(Tensor x, int axis, int low, int high) {
        int size = x.dim(axis);
        var before = x.slice(axis, 0, 1).broadcastTo(x.shape().with(axis, low));
        var after = x.slice(axis, size - 1, size).broadcastTo(x.shape().with(axis, high));
        return Tensors.concat(List.of(before, x, after), axis);
    }

    private static Tensor depthToSpace(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int b = node.integer("blocksize", 1);
        int channels = x.dim(1) / (b * b);
        int rows = x.dim(2);
        int columns = x.dim(3);
        var y =
                switch (node.text("mode", "DCR")) {
                    case "DCR" ->
                            x.reshape(x.dim(0), b, b, channels, rows, columns)
                                    .permute(0, 3, 4, 1, 5, 2);
                    case "CRD" ->
                            x.reshape(x.dim(0), channels, b, b, rows, columns)
                                    .permute(0, 1, 4, 2, 5, 3);
                    default -> throw node.refused("the mode " + node.text("mode", ""));
                };
        return y.reshape(x.dim(0), channels, rows * b, columns * b);
    }

    private static Tensor spaceToDepth(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int b = node.integer("blocksize", 1);
        int rows = x.dim(2) / b;
        int columns = x.dim(3) / b;
        return x.reshape(x.dim(0), x.dim(1), rows, b, columns, b)
                .permute(0, 3, 5, 1, 2, 4)
                .reshape(x.dim(0), x.dim(1) * b * b, rows, columns);
    }
}
