package dev.ebb.nn.onnx.export;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.nn.onnx.wire.ElementKind;
import dev.ebb.nn.onnx.wire.ProtobufWriter;
import dev.ebb.tensor.Array;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Builds an ONNX graph (opset 17) node by node. */
public final class GraphWriter {
    /** A value of the graph. */
    public record Named(String name, DType dtype, Shape shape) {}

    /** The end of a slice that runs backwards to the first element. */
    private static final long BEFORE_ALL = Long.MIN_VALUE;

    private final ProtobufWriter graph = new ProtobufWriter();
    private final Map<List<?>, Named> known = new HashMap<>();
    private int count;

    Named node(
            String op, DType dtype, Shape shape, List<Named> inputs, ProtobufWriter... attributes) {
        return many(op, List.of(new Type(dtype, shape)), inputs, attributes).getFirst();
    }

    /** A node with several outputs. */
    List<Named> many(
            String op, List<Type> outputs, List<Named> inputs, ProtobufWriter... attributes) {
        var named = new ArrayList<Named>();
        for (var type : outputs) named.add(new Named("v" + count++, type.dtype(), type.shape()));
        emit(op, named, inputs, attributes);
        return named;
    }

    private void emit(
            String op, List<Named> outputs, List<Named> inputs, ProtobufWriter... attributes) {
        var node = new ProtobufWriter();
        inputs.forEach(input -> node.text(1, input.name()));
        outputs.forEach(output -> node.text(2, output.name()));
        node.text(4, op);
        for (var attribute : attributes) node.inside(5, attribute);
        graph.inside(1, node);
    }

    public void input(Named input) {
        graph.inside(11, described(input));
    }

    /** Makes {@code value} an output with its own name. */
    public void output(String name, Named value) {
        var output = new Named(name, value.dtype(), value.shape());
        emit("Identity", List.of(output), List.of(value));
        graph.inside(12, described(output));
    }

    private static ProtobufWriter described(Named value) {
        var dims = new ProtobufWriter();
        for (int d : value.shape().dims()) dims.inside(1, new ProtobufWriter().whole(1, d));
        var tensor = new ProtobufWriter().whole(1, ElementKind.of(value.dtype())).inside(2, dims);
        return new ProtobufWriter()
                .text(1, value.name())
                .inside(2, new ProtobufWriter().inside(1, tensor));
    }

    /** An initialiser. */
    public Named constant(String name, Array array) {
        var tensor = new ProtobufWriter();
        for (int d : array.shape().dims()) tensor.whole(1, d);
        tensor.whole(2, ElementKind.of(array.dtype())).text(8, name);
        MemorySegment bytes = array.data().segment().asSlice(0, array.type().bytes());
        graph.inside(5, tensor.raw(9, bytes));
        return new Named(name, array.dtype(), array.shape());
    }

    private Named shared(List<?> key, Array array) {
        var found = known.get(key);
        if (found != null) return found;
        var made = constant("c" + count++, array);
        known.put(key, made);
        return made;
    }

    /** A list of integers. */
    Named longs(List<Long> numbers) {
        return shared(
                List.of("list", numbers),
                Array.of(numbers.stream().mapToLong(Long::longValue).toArray()));
    }

    Named scalar(DType dtype, double value) {
        return shared(List.of(dtype, value), Array.of(new Type(dtype, Shape.scalar()), value));
    }

    /** 0, 1, 2 ... along one axis of a shape whose other axes have one element. */
    Named counting(DType dtype, int size, int axis, int rank) {
        var numbers =
                node(
                        "Range",
                        dtype,
                        Shape.of(size),
                        List.of(scalar(dtype, 0), scalar(dtype, size), scalar(dtype, 1)));
        var dims = new int[rank];
        Arrays.fill(dims, 1);
        dims[axis] = size;
        return reshaped(numbers, Shape.of(dims));
    }

    private static List<Long> wide(List<Integer> numbers) {
        return numbers.stream().map(Integer::longValue).toList();
    }

    Named reshaped(Named x, Shape to) {
        if (x.shape().equals(to)) return x;
        return node("Reshape", x.dtype(), to, List.of(x, longs(wide(to.dims()))));
    }

    Named expanded(Named x, Shape to) {
        if (x.shape().equals(to)) return x;
        return node("Expand", x.dtype(), to, List.of(x, longs(wide(to.dims()))));
    }

    Named cast(Named x, DType to) {
        var held = to == DType.BIT ? DType.BOOL : to;
        if (x.dtype() == held) return x;
        long kind = ElementKind.of(held);
        return node("Cast", held, x.shape(), List.of(x), ProtobufWriter.attribute("to", kind));
    }

    Named permuted(Named x, List<Integer> order) {
        if (order.equals(x.shape().allAxes())) return x;
        var shape = new Shape(order.stream().map(x.shape()::dim).toList());
        return node(
                "Transpose", x.dtype(), shape, List.of(x), ProtobufWriter.attribute("perm", order));
    }

    /** {@code sizes} elements of each axis from {@code starts} on, with strides {@code steps}. */
    Named sliced(Named x, List<Integer> starts, List<Integer> sizes, List<Integer> steps) {
        boolean whole = IntStream.range(0, steps.size()).allMatch(i -> steps.get(i) == 1);
        if (whole && sizes.equals(x.shape().dims())) return x;
        var ends = new ArrayList<Long>();
        for (int a = 0; a < sizes.size(); a++) {
            long end = starts.get(a) + (long) sizes.get(a) * steps.get(a);
            ends.add(end < 0 ? BEFORE_ALL : end);
        }
        return node(
                "Slice",
                x.dtype(),
                new Shape(sizes),
                List.of(
                        x,
                        longs(wide(starts)),
                        longs(ends),
                        longs(wide(x.shape().allAxes())),
                        longs(wide(steps))));
    }

    /** A value computed over a shape, converted to the required type and shape. */
    Named finished(Named made, Shape computed, Type type) {
        return reshaped(expanded(cast(made, type.dtype()), computed), type.shape());
    }

    /** The whole model. */
    public ProtobufWriter model() {
        graph.text(2, "ebb");
        return new ProtobufWriter()
                .whole(1, 8)
                .text(2, "ebb")
                .inside(7, graph)
                .inside(8, new ProtobufWriter().text(1, "").whole(2, 17));
    }
}
