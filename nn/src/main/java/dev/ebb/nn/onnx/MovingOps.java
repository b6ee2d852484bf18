package dev.ebb.nn.onnx;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.onnx.Datum.Known;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Ops that move elements, or make tensors of shapes. */
final class MovingOps {
    private MovingOps() {}

    static List<Datum> apply(OnnxNode node, Operands in) {
        return switch (node.op()) {
            case "Concat" -> {
                var parts = new ArrayList<Tensor>();
                for (int i = 0; i < in.size(); i++) parts.add(in.tensor(i));
                yield OnnxOps.one(Tensors.concat(parts, (int) node.whole("axis", 0)));
            }
            case "Constant" -> List.of(constant(node));
            case "ConstantOfShape" -> List.of(filled(node, in.known(0)));
            case "Expand" -> {
                var x = in.tensor(0);
                yield OnnxOps.one(
                        x.broadcastTo(Shape.broadcast(x.shape(), new Shape(in.known(1)))));
            }
            case "Flatten" -> {
                var x = in.tensor(0);
                int axis = (int) node.whole("axis", 1);
                int split = axis < 0 ? axis + x.rank() : axis;
                long rows = new Shape(x.shape().dims().subList(0, split)).size();
                yield OnnxOps.one(x.reshape((int) rows, -1));
            }
            case "Gather" -> OnnxOps.one(gather(node, in));
            case "Range" -> OnnxOps.one(range(node, in));
            case "Reshape" -> OnnxOps.one(reshaped(node, in.tensor(0), in.known(1)));
            case "Shape" -> {
                var dims = in.get(0).shape().dims();
                int start = place(node.whole("start", 0), dims.size());
                int end = place(node.whole("end", dims.size()), dims.size());
                yield List.of(
                        Known.of(
                                dims.subList(start, Math.max(start, end)).stream()
                                        .mapToLong(Integer::longValue)
                                        .toArray()));
            }
            case "Slice" -> OnnxOps.one(sliced(node, in));
            case "Split" -> split(node, in);
            case "Squeeze" -> OnnxOps.one(squeezed(in));
            case "Transpose" -> {
                var x = in.tensor(0);
                var order = node.list("perm");
                if (order.isEmpty()) {
                    var reversed = new ArrayList<Integer>();
                    for (int i = x.rank() - 1; i >= 0; i--) reversed.add(i);
                    order = reversed;
                }
                yield OnnxOps.one(x.permute(order));
            }
            case "Trilu" -> {
                int k = in.has(1) ? in.known(1).getFirst() : 0;
                var x = in.tensor(0);
                yield OnnxOps.one(node.whole("upper", 1) == 1 ? x.triu(k) : x.tril(k));
            }
            case "Unsqueeze" -> {
                var x = in.tensor(0);
                int rank = x.rank() + in.known(1).size();
                var axes =
                        new ArrayList<>(
                                in.known(1).stream().map(a -> a < 0 ? a + rank : a).toList());
                Collections.sort(axes);
                for (int axis : axes) x = x.unsqueeze(axis);
                yield OnnxOps.one(x);
            }
            default -> throw node.refused("this op is not implemented");
        };
    }

    private static int place(long at, int size) {
        return Math.clamp(at < 0 ? at + size : at, 0, size);
    }

    private static Datum constant(OnnxNode node) {
        var tensor = node.attributes().get("value");
        if (tensor != null && tensor.tensor().isPresent()) return Datum.of(tensor.tensor().get());
        if (node.has("value_int"))
            return new Known(Shape.scalar(), List.of(node.whole("value_int", 0)));
        if (node.has("value_ints"))
            return Known.of(
                    node.list("value_ints").stream().mapToLong(Integer::longValue).toArray());
        if (node.has("value_float"))
            return Datum.of(Array.scalar((float) node.number("value_float", 0)));
        throw node.refused(
                "its value is of a kind that is not implemented: " + node.attributes().keySet());
    }

    private static Datum filled(OnnxNode node, List<Integer> dims) {
        var value = node.attributes().get("value");
        var one =
                value == null || value.tensor().isEmpty() ? Array.scalar(0f) : value.tensor().get();
        var shape = new Shape(dims);
        boolean whole = one.dtype() == DType.I64 || one.dtype() == DType.I32;
        if (whole && shape.rank() == 1)
            return new Known(
                    shape,
                    Collections.nCopies(Math.toIntExact(shape.size()), one.data().getLong(0)));
        return Datum.of(Tensors.fill(new Type(one.dtype(), shape), one.data().get(0)));
    }

    private static Tensor gather(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = (int) node.whole("axis", 0);
        int size = x.dim(axis);
        if (in.get(1) instanceof Known(var shape, var numbers)) {
            var places = numbers.stream().mapToLong(i -> i < 0 ? i + size : i).toArray();
            if (shape.rank() == 0) return x.at(axis, Math.toIntExact(places[0]));
            return x.indexSelect(axis, Array.of(shape, places));
        }
        var index = in.tensor(1).cast(DType.I64);
        return x.indexSelect(axis, Tensors.where(index.lt(0), index.add(size), index));
    }

    private static Tensor range(OnnxNode node, Operands in) {
        throw node.refused("its bounds depend on data: " + in.size() + " inputs");
    }

    private static Tensor reshaped(OnnxNode node, Tensor x, List<Integer> wanted) {
        if (node.whole("allowzero", 0) != 0) throw node.refused("allowzero");
        var dims = new int[wanted.size()];
        for (int i = 0; i < dims.length; i++)
            dims[i] = wanted.get(i) == 0 ? x.dim(i) : wanted.get(i);
        return x.reshape(dims);
    }

    private static Tensor sliced(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        var starts = in.known(1);
        var stops = in.known(2);
        for (int i = 0; i < starts.size(); i++) {
            int axis = in.has(3) ? in.known(3).get(i) : i;
            int step = in.has(4) ? in.known(4).get(i) : 1;
            int size = x.dim(axis);
            if (step == -1 && stops.get(i) < -size && place(starts.get(i), size) >= size - 1) {
                x = x.flip(axis);
                continue;
            }
            if (step < 1) throw node.refused("a step of " + step);
            int start = place(starts.get(i), size);
            int stop = Math.max(start, place(stops.get(i), size));
            x = x.slice(axis, start, stop, step);
        }
        return x;
    }

    private static List<Datum> split(OnnxNode node, Operands in) {
        var x = in.tensor(0);
        int axis = (int) node.whole("axis", 0);
        int count = node.outputs().size();
        int size = x.dim(axis);
        int each = Math.ceilDiv(size, count);
        var sizes = new int[count];
        for (int i = 0; i < count; i++)
            sizes[i] = in.has(1) ? in.known(1).get(i) : Math.min(each, size - i * each);
        return x.split(axis, sizes).stream().map(Datum::of).toList();
    }

    private static Tensor squeezed(Operands in) {
        var x = in.tensor(0);
        if (in.has(1)) {
            return x.squeeze(in.known(1).stream().mapToInt(Integer::intValue).toArray());
        }
        var dims = x.shape().dims().stream().filter(d -> d != 1).toList();
        return x.reshape(new Shape(dims));
    }
}
