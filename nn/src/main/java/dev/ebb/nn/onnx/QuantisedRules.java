package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.network.Conv;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Quantised numbers, {@code (byte - zero point) * scale}, and products of them. Signed bytes are
 * stored as i32. Products are computed in f64, in which sums of bytes are exact.
 */
final class QuantisedRules {
    private QuantisedRules() {}

    static OpTable table() {
        return new OpTable()
                .one("QuantizeLinear", 10, QuantisedRules::quantised)
                .one("DequantizeLinear", 10, QuantisedRules::dequantised)
                .many("DynamicQuantizeLinear", 11, QuantisedRules::dynamic)
                .one("MatMulInteger", 10, QuantisedRules::wholeProduct)
                .one("ConvInteger", 10, QuantisedRules::wholeConvolution)
                .one("QLinearMatMul", 10, QuantisedRules::product)
                .one("QLinearConv", 10, QuantisedRules::convolution);
    }

    /** The smallest and the largest value of a byte type. */
    private record Range(int least, int most) {
        /** The range of the type of a zero point; in the standard, zero points are always bytes. */
        static Range of(Tensor zero) {
            return zero.dtype() == DType.U8 ? new Range(0, 255) : new Range(-128, 127);
        }

        /** {@code x}, in multiples of a scale, as bytes around {@code zero}. */
        Tensor bytes(Tensor x, Tensor zero) {
            var shifted = x.round().add(zero.cast(x.dtype())).clamp(least, most);
            return shifted.cast(least < 0 ? DType.I32 : DType.U8);
        }
    }

    /** Numbers along one axis, or one number, shaped to broadcast to {@code x}. */
    private static Tensor along(OnnxNode node, Tensor numbers, Tensor x, int axis) {
        if (numbers.type().size() == 1) return numbers.reshape(Shape.scalar());
        int at = x.shape().axis(axis);
        if (numbers.rank() != 1 || numbers.dim(0) != x.dim(at))
            throw node.refused(
                    "scales or zero points "
                            + numbers.type()
                            + " along axis "
                            + at
                            + " of "
                            + x.type());
        var dims = new ArrayList<>(Collections.nCopies(x.rank(), 1));
        dims.set(at, x.dim(at));
        return numbers.reshape(new Shape(dims));
    }

    private static int axis(OnnxNode node) {
        return node.integer("axis", 1);
    }

    private static Tensor zero(OnnxNode node, Operands in, int i, Tensor x, int axis) {
        return in.maybe(i)
                .map(z -> along(node, z, x, axis))
                .orElseGet(() -> Tensors.zeros(DType.U8, Shape.scalar()));
    }

    private static Tensor quantised(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var scale = along(node, in.tensor(1), x, axis(node));
        var zero = zero(node, in, 2, x, axis(node));
        if (node.whole("output_dtype", 0) != 0)
            throw node.refused("output_dtype; give a zero point of the type instead");
        var steps = x.cast(scale.dtype()).div(scale);
        return Range.of(zero).bytes(steps, zero);
    }

    private static Tensor dequantised(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var scale = along(node, in.tensor(1), x, axis(node));
        var zero = zero(node, in, 2, x, axis(node));
        return x.cast(scale.dtype()).sub(zero.cast(scale.dtype())).mul(scale);
    }

    /**
     * Computes scale and zero point from the smallest and the largest number; the range always
     * includes zero.
     */
    private static List<Tensor> dynamic(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var flat = x.reshape(-1);
        var least = flat.amin(List.of(0), false).minimum(0);
        var most = flat.amax(List.of(0), false).maximum(0);
        var scale = most.sub(least).div(255);
        var zero = least.neg().div(scale).clamp(0, 255).round();
        var bytes = new Range(0, 255).bytes(x.div(scale), zero);
        return List.of(bytes, scale, zero.cast(DType.U8));
    }

    /** {@code x} minus its zero point, exactly. */
    private static Tensor centred(OnnxNode node, Operands in, int i, int zero, int axis) {
        var x = in.tensor(i).cast(DType.F64);
        Optional<Tensor> shift = in.maybe(zero);
        return shift.map(z -> x.sub(along(node, z, x, axis).cast(DType.F64))).orElse(x);
    }

    /** Zero points of the left factor are per row, those of the right one per column. */
    private static Tensor sums(OnnxNode node, Operands in, int a, int zeroA, int b, int zeroB) {
        return centred(node, in, a, zeroA, -2).matmul(centred(node, in, b, zeroB, -1));
    }

    private static Tensor wholeProduct(OnnxNode node, Operands in) {
        return sums(node, in, 0, 2, 1, 3).cast(DType.I32);
    }

    private static Tensor wholeConvolution(OnnxNode node, Operands in) {
        return convolved(node, centred(node, in, 0, 2, 1), centred(node, in, 1, 3, 0))
                .cast(DType.I32);
    }

    private static Tensor convolved(OnnxNode node, Tensor x, Tensor weight) {
        var kernel = weight.shape().dims().subList(2, weight.rank());
        var windows = Windows.of(node, x, kernel);
        var geometry =
                Conv.plain()
                        .stride(Windows.ints(windows.strides()))
                        .dilation(Windows.ints(windows.dilations()))
                        .padding(windows.low(), windows.high())
                        .groups(node.integer("group", 1));
        return x.conv(weight, geometry);
    }

    private static Tensor product(OnnxNode node, Operands in) {
        var sums = sums(node, in, 0, 2, 3, 5);
        var left = along(node, in.tensor(1), sums, -2).cast(DType.F64);
        var right = along(node, in.tensor(4), sums, -1).cast(DType.F64);
        var scale = left.mul(right).div(along(node, in.tensor(6), sums, -2).cast(DType.F64));
        var zero = along(node, in.tensor(7), sums, -2);
        return Range.of(zero).bytes(sums.mul(scale), zero);
    }

    /**
     * Each output channel may have its own scale; the bias is in multiples of the product's scale.
     */
    private static Tensor convolution(OnnxNode node, Operands in) {
        var weight = centred(node, in, 3, 5, 0);
        var sums = convolved(node, centred(node, in, 0, 2, 1), weight);
        if (in.has(8)) sums = sums.addChannels(in.tensor(8).cast(DType.F64));
        var scale =
                along(node, in.tensor(4), sums, 1)
                        .cast(DType.F64)
                        .mul(in.tensor(1).reshape(Shape.scalar()).cast(DType.F64))
                        .div(in.tensor(6).reshape(Shape.scalar()).cast(DType.F64));
        var zero = in.tensor(7).reshape(Shape.scalar());
        return Range.of(zero).bytes(sums.mul(scale), zero);
    }
}
