package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.onnx.wire.ElementKind;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.List;

/** Constants, shapes as numbers, and changes of shape. */
final class ShapeRules {
    /** The most elements of a range, which is computed during tracing. */
    private static final int MOST = 1 << 24;

    private ShapeRules() {}

    static OpTable table() {
        return new OpTable()
                .one("Constant", 1, (node, _) -> constant(node))
                .growing("ConstantOfShape", 9, ShapeRules::filled)
                .one("Range", 11, ShapeRules::range)
                .one("EyeLike", 9, ShapeRules::eyeLike)
                .one("Shape", 1, ShapeRules::shape)
                .one("Size", 1, (_, in) -> Array.scalar(in.tensor(0).type().size()))
                .one("Reshape", 5, ShapeRules::reshape)
                .one("Flatten", 1, ShapeRules::flatten)
                .one("Squeeze", 1, ShapeRules::squeeze)
                .one("Unsqueeze", 1, ShapeRules::unsqueeze)
                .growing("Expand", 8, ShapeRules::expand);
    }

    private static Tensor constant(OnnxNode node) {
        var tensor = node.tensor("value");
        if (tensor.isPresent()) return tensor.get();
        if (node.has("value_int")) return Array.scalar(node.whole("value_int", 0));
        if (node.has("value_float")) return Array.scalar((float) node.number("value_float", 0));
        if (node.has("value_ints"))
            return Array.of(
                    node.list("value_ints").stream().mapToLong(Integer::longValue).toArray());
        if (node.has("value_floats")) {
            var numbers = node.floats("value_floats");
            var data = new float[numbers.size()];
            for (int i = 0; i < data.length; i++) data[i] = numbers.get(i);
            return Array.of(data);
        }
        throw node.refused(
                "its value is of a kind that is not implemented: " + node.attributes().keySet());
    }

    private static Tensor filled(OnnxNode node, Operands in) {
        var one = node.tensor("value").orElseGet(() -> Array.scalar(0f));
        if (one.type().size() != 1) throw node.refused("its value is " + one.type());
        var shape = new Shape(in.numbers(0));
        return one.reshape(Shape.scalar()).broadcastTo(shape);
    }

    private static Tensor range(OnnxNode node, Operands in) {
        var dtype = in.tensor(0).dtype();
        double start = in.real(0);
        double step = in.real(2);
        double count = Math.max(0, Math.ceil((in.real(1) - start) / step));
        if (!(count <= MOST)) throw node.refused(count + " elements; " + MOST + " is the most");
        var numbers = new double[(int) count];
        for (int i = 0; i < numbers.length; i++) numbers[i] = start + i * step;
        return Array.of(new Type(dtype, Shape.of(numbers.length)), numbers);
    }

    private static Tensor eyeLike(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        if (x.rank() != 2) throw node.refused("of " + x.type() + "; it takes a matrix");
        long kind = node.whole("dtype", ElementKind.of(x.dtype()));
        var dtype = ElementKind.dtype(kind);
        if (dtype.isEmpty()) throw node.refused("ONNX's element type " + kind);
        var rows = Tensors.iota(DType.I64, x.shape(), 0);
        var columns = Tensors.iota(DType.I64, x.shape(), 1);
        return rows.add((double) node.whole("k", 0)).eq(columns).cast(dtype.get());
    }

    private static Tensor shape(OnnxNode node, Operands in) {
        var dims = in.tensor(0).shape().dims();
        int start = place(node.whole("start", 0), dims.size());
        int end = place(node.whole("end", dims.size()), dims.size());
        return Array.of(
                dims.subList(start, Math.max(start, end)).stream()
                        .mapToLong(Integer::longValue)
                        .toArray());
    }

    /** An index along an axis, counted from its end if negative, clamped to the axis. */
    static int place(long at, int size) {
        return Math.clamp(at < 0 ? at + size : at, 0, size);
    }

    /** A size of zero means the input's size at the same place, unless zeros are allowed. */
    private static Tensor reshape(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var wanted = in.numbers(1);
        var dims = new int[wanted.size()];
        for (int i = 0; i < dims.length; i++)
            dims[i] =
                    wanted.get(i) == 0 && !node.flag("allowzero", false) ? x.dim(i) : wanted.get(i);
        return x.reshape(dims);
    }

    private static Tensor flatten(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int split = place(node.whole("axis", 1), x.rank());
        var dims = x.shape().dims();
        return x.reshape(
                Shape.of(
                        Math.toIntExact(new Shape(dims.subList(0, split)).size()),
                        Math.toIntExact(new Shape(dims.subList(split, x.rank())).size())));
    }

    /**
     * Axes are an input since opset 13 and an attribute before; if absent, all axes of size one are
     * removed.
     */
    private static Tensor squeeze(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var axes = in.listed("axes", 1);
        if (axes.isPresent())
            return x.squeeze(axes.get().stream().mapToInt(Integer::intValue).toArray());
        return x.reshape(new Shape(x.shape().dims().stream().filter(d -> d != 1).toList()));
    }

    private static Tensor unsqueeze(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var axes = in.listed("axes", 1).orElseThrow(() -> node.refused("it has no axes"));
        int rank = x.rank() + axes.size();
        var dims = new ArrayList<>(x.shape().dims());
        axes.stream().map(a -> a < 0 ? a + rank : a).sorted().forEach(a -> dims.add(a, 1));
        return x.reshape(new Shape(dims));
    }

    private static Tensor expand(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        return x.broadcastTo(Shape.broadcast(x.shape(), new Shape(List.copyOf(in.numbers(1)))));
    }
}
