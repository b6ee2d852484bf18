package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Conv;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Convolutions and pools. */
final class ConvolutionRules {
    private ConvolutionRules() {}

    static OpTable table() {
        return new OpTable()
                .one("Conv", 1, ConvolutionRules::conv)
                .one("ConvTranspose", 1, ConvolutionRules::transposed)
                .many("MaxPool", 1, ConvolutionRules::maxPool)
                .one("AveragePool", 1, ConvolutionRules::averagePool)
                .unary("GlobalAveragePool", 1, x -> x.mean(spatial(x), true))
                .unary("GlobalMaxPool", 1, x -> x.amax(spatial(x), true));
    }

    private static List<Integer> spatial(Tensor x) {
        return IntStream.range(2, x.rank()).boxed().toList();
    }

    private static Tensor conv(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var weight = in.tensor(1);
        var kernel = weight.shape().dims().subList(2, weight.rank());
        var windows = Windows.of(node, x, kernel);
        var geometry =
                Conv.plain()
                        .stride(Windows.ints(windows.strides()))
                        .dilation(Windows.ints(windows.dilations()))
                        .padding(windows.low(), windows.high())
                        .groups(node.integer("group", 1));
        var y = x.conv(weight, geometry);
        return in.has(2) ? y.addChannels(in.tensor(2)) : y;
    }

    private static Tensor transposed(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var weight = in.tensor(1);
        int axes = x.rank() - 2;
        var strides = Windows.list(node, "strides", axes, 1);
        var dilations = Windows.list(node, "dilations", axes, 1);
        var extra = new ArrayList<>(Windows.list(node, "output_padding", axes, 0));
        var pads = Windows.list(node, "pads", 2 * axes, 0);
        Windows.requireAtLeast(node, "strides", strides, 1);
        Windows.requireAtLeast(node, "dilations", dilations, 1);
        Windows.requireAtLeast(node, "output_padding", extra, 0);
        Windows.requireAtLeast(node, "pads", pads, 0);
        var low = new ArrayList<>(pads.subList(0, axes));
        var high = new ArrayList<>(pads.subList(axes, 2 * axes));
        var auto = node.text("auto_pad", "NOTSET");
        boolean same = auto.startsWith("SAME");
        for (int i = 0; i < axes && (same || node.has("output_shape")); i++) {
            long reach = (weight.dim(2 + i) - 1L) * dilations.get(i) + 1;
            long full = strides.get(i) * (x.dim(2 + i) - 1L) + extra.get(i) + reach;
            var sizes = node.list("output_shape");
            int wanted =
                    sizes.isEmpty()
                            ? Math.multiplyExact(x.dim(2 + i), strides.get(i))
                            : sizes.get(sizes.size() - axes + i);
            int total = Math.toIntExact(full - wanted);
            if (total < 0) extra.set(i, extra.get(i) - total);
            int half = Math.max(0, total) / 2;
            int other = Math.max(0, total) - half;
            low.set(i, auto.equals("SAME_UPPER") ? half : other);
            high.set(i, auto.equals("SAME_UPPER") ? other : half);
        }
        var geometry =
                Conv.plain()
                        .stride(Windows.ints(strides))
                        .dilation(Windows.ints(dilations))
                        .padding(low, high)
                        .groups(node.integer("group", 1))
                        .outputPadding(Windows.ints(extra));
        var y = x.convTranspose(weight, geometry);
        return in.has(2) ? y.addChannels(in.tensor(2)) : y;
    }

    private static List<Tensor> maxPool(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var windows = Windows.of(node, x, node.list("kernel_shape"));
        boolean places = node.outputs().size() > 1 && !node.outputs().get(1).isEmpty();
        if (x.dtype().isFloat() && windows.isPlain(x) && !places)
            return List.of(x.maxPool(windows.pool().padding(Windows.ints(windows.low()))));
        if (!x.dtype().isFloat() && x.dtype() != DType.U8)
            throw node.refused("of " + x.type() + "; floats and u8 are implemented");
        double least = x.dtype().isFloat() ? Double.NEGATIVE_INFINITY : 0;
        var padded = windows.padded(x, least, least);
        if (!places) return List.of(largest(padded, windows));
        return withPlaces(numbers(x, node.flag("storage_order", false)), padded, windows);
    }

    /** The index of every element; the first of the spatial axes may run fastest. */
    private static Tensor numbers(Tensor x, boolean byColumns) {
        var order = new ArrayList<>(List.of(0, 1));
        for (int axis : spatial(x)) order.add(2, axis);
        var axes = byColumns ? order : IntStream.range(0, x.rank()).boxed().toList();
        var counted = new Shape(axes.stream().map(x::dim).toList());
        int elements = Math.toIntExact(x.type().size());
        return Tensors.iota(DType.I64, Shape.of(elements), 0)
                .reshape(counted)
                .permute(Windows.ints(axes));
    }

    /** The largest element of each window and its index in the input; the first of equal ones. */
    private static List<Tensor> withPlaces(Tensor numbers, Tensor padded, Windows windows) {
        var all = windows.padded(numbers, 0, 0);
        var most = windows.place(padded, 0);
        var found = windows.place(all, 0);
        for (int i = 1; i < windows.places(); i++) {
            var other = windows.place(padded, i);
            var further = other.gt(most);
            most = Tensors.where(further, other, most);
            found = Tensors.where(further, windows.place(all, i), found);
        }
        return List.of(most, found);
    }

    /** The maximum over the elements of each window, axis by axis. */
    private static Tensor largest(Tensor padded, Windows windows) {
        var most = padded;
        for (int i = 0; i < windows.kernel().size(); i++) {
            int stride = windows.strides().get(i);
            int span = (windows.counts().get(i) - 1) * stride + 1;
            var places = new ArrayList<Tensor>();
            for (int k = 0; k < windows.kernel().get(i); k++) {
                int start = k * windows.dilations().get(i);
                places.add(most.slice(2 + i, start, start + span, stride));
            }
            most = places.stream().reduce(Tensor::maximum).orElseThrow();
        }
        return most;
    }

    /** The mean over the elements of each window, including padding if the node says so. */
    private static Tensor averagePool(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var windows = Windows.of(node, x, node.list("kernel_shape"));
        if (windows.dilations().stream().anyMatch(d -> d != 1)) throw node.refused("dilations");
        boolean counted = node.flag("count_include_pad", false);
        if (windows.isPlain(x) && (counted || !windows.isPadded()))
            return x.avgPool(windows.pool().padding(Windows.ints(windows.low())));
        var ones = Tensors.ones(x.dtype(), x.shape().with(0, 1).with(1, 1));
        var shares = windows.padded(ones, counted ? 1 : 0, 0).avgPool(windows.pool());
        return windows.padded(x, 0, 0).avgPool(windows.pool()).div(shares);
    }
}
