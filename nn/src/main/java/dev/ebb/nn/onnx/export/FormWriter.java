package dev.ebb.nn.onnx.export;

import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.nn.onnx.export.GraphWriter.Named;
import dev.ebb.nn.onnx.wire.ProtobufWriter;
import dev.ebb.tensor.network.MaxPoolOp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Writes the ops of a graph as ONNX nodes according to their kernel forms; it refers to no op by
 * name.
 */
public final class FormWriter {
    private final GraphWriter graph;
    private final NetworkFormWriter networks;

    public FormWriter(GraphWriter graph) {
        this.graph = graph;
        this.networks = new NetworkFormWriter(graph);
    }

    /** The outputs of {@code node}; the last may be missing if ONNX has no such output. */
    public List<Named> write(Node node, List<Named> in) {
        var outputs = node.outputs().stream().map(v -> v.type()).toList();
        if (node.op() instanceof MaxPoolOp op)
            return List.of(networks.maxPool(op, in.subList(0, 1), outputs.getFirst()));
        var kernel = node.op().kernel(node.inputs().stream().map(v -> v.type()).toList());
        return switch (kernel) {
            case Kernel.Map map -> map(map, in, outputs);
            case Kernel.Fold fold -> List.of(fold(fold, in, outputs.getFirst()));
            case Kernel.Contract product -> List.of(product(product, in, outputs.getFirst()));
            case Kernel.Assemble parts -> List.of(assembled(parts, in, outputs.getFirst()));
            case Kernel.Cut cut -> cut(cut, in.getFirst(), outputs);
            case Kernel.Gather gather -> List.of(gathered(gather, in, outputs.getFirst()));
            case Kernel.Cumulate sums -> List.of(cumulated(sums, in, outputs.getFirst()));
            case Kernel.Sort sort -> List.of(sorted(sort, in.getFirst(), outputs.getFirst()));
            case Kernel.Convolve conv -> List.of(networks.convolved(conv, in, outputs.getFirst()));
            case Kernel.Attend attend -> List.of(networks.attended(attend, in, outputs.getFirst()));
            case Kernel.Rows _,
                    Kernel.Scatter _,
                    DecodingContract _,
                    Kernel.AttendGrad _,
                    Kernel.Library _,
                    Control _ ->
                    throw new NotExportableException("this kind of computation cannot be exported");
        };
    }

    private List<Named> map(Kernel.Map map, List<Named> in, List<Type> outputs) {
        var elements =
                new ElementWriter(
                        graph,
                        map.shape(),
                        ViewWriter.readAll(graph, in, map.operands(), map.shape()));
        var all = new ArrayList<Named>();
        for (int i = 0; i < outputs.size(); i++)
            all.add(graph.finished(elements.of(map.bodies().get(i)), map.shape(), outputs.get(i)));
        return all;
    }

    private Named fold(Kernel.Fold fold, List<Named> in, Type output) {
        var operands = ViewWriter.readAll(graph, in, fold.operands(), fold.shape());
        var body = new ElementWriter(graph, fold.shape(), operands).of(fold.body());
        var x = graph.expanded(body, fold.shape());
        if (x.dtype() == DType.BOOL) x = graph.cast(x, DType.I32);
        var rest = fold.shape().reduce(fold.axes(), false);
        var keep = ProtobufWriter.attribute("keepdims", 0);
        var axes = ProtobufWriter.attribute("axes", fold.axes());
        var y =
                switch (fold.combine()) {
                    case SUM ->
                            graph.node(
                                    "ReduceSum",
                                    x.dtype(),
                                    rest,
                                    List.of(x, longs(fold.axes())),
                                    keep);
                    case PROD -> graph.node("ReduceProd", x.dtype(), rest, List.of(x), axes, keep);
                    case MAX -> graph.node("ReduceMax", x.dtype(), rest, List.of(x), axes, keep);
                    case MIN -> graph.node("ReduceMin", x.dtype(), rest, List.of(x), axes, keep);
                };
        return graph.finished(y, rest, output);
    }

    private Named longs(List<Integer> numbers) {
        return graph.longs(numbers.stream().map(Integer::longValue).toList());
    }

    private Named product(Kernel.Contract p, List<Named> in, Type output) {
        var a = ViewWriter.read(graph, in.get(0), p.a(), p.batch().append(p.m(), p.k()));
        var b = ViewWriter.read(graph, in.get(1), p.b(), p.batch().append(p.k(), p.n()));
        var left = graph.expanded(a, matrices(a, p.m(), p.k()));
        var right = graph.expanded(b, matrices(b, p.k(), p.n()));
        var shape = p.shape();
        int leading = p.batch().rank();
        var batch =
                Shape.broadcast(
                        new Shape(left.shape().dims().subList(0, leading)),
                        new Shape(right.shape().dims().subList(0, leading)));
        var y = graph.node("MatMul", a.dtype(), batch.append(p.m(), p.n()), List.of(left, right));
        var arguments = new ArrayList<>(List.of(y));
        arguments.addAll(ViewWriter.readAll(graph, in.subList(2, in.size()), p.extras(), shape));
        return graph.finished(
                new ElementWriter(graph, shape, arguments).of(p.epilogue()), shape, output);
    }

    /** The shape of whole matrices with the operand's own batch axes. */
    private static Shape matrices(Named x, int rows, int columns) {
        int rank = x.shape().rank();
        return x.shape().with(rank - 2, rows).with(rank - 1, columns);
    }

    private Named assembled(Kernel.Assemble whole, List<Named> in, Type output) {
        var parts = whole.parts();
        if (parts.size() == 1) return padded(whole, in.getFirst(), output);
        for (int axis = 0; axis < whole.shape().rank(); axis++) {
            if (!isRow(whole, axis)) continue;
            var y =
                    graph.node(
                            "Concat",
                            in.getFirst().dtype(),
                            whole.shape(),
                            shaped(in, parts),
                            ProtobufWriter.attribute("axis", axis));
            return graph.finished(y, whole.shape(), output);
        }
        throw new NotExportableException("parts that do not lie side by side along one axis");
    }

    private List<Named> shaped(List<Named> in, List<View.Part> parts) {
        var all = new ArrayList<Named>();
        for (int i = 0; i < parts.size(); i++)
            all.add(graph.reshaped(in.get(i), parts.get(i).shape()));
        return all;
    }

    /** Whether each part starts where the one before ends, and the last ends with the axis. */
    private static boolean isRow(Kernel.Assemble whole, int axis) {
        int at = 0;
        for (var part : whole.parts()) {
            if (part.step().stream().anyMatch(s -> s != 1)) return false;
            var start = new ArrayList<>(Collections.nCopies(whole.shape().rank(), 0));
            start.set(axis, at);
            if (!part.start().equals(start)) return false;
            if (!part.shape().equals(whole.shape().with(axis, part.shape().dim(axis))))
                return false;
            at += part.shape().dim(axis);
        }
        return at == whole.shape().dim(axis);
    }

    private Named padded(Kernel.Assemble whole, Named x, Type output) {
        var part = whole.parts().getFirst();
        if (part.step().stream().anyMatch(s -> s != 1))
            throw new NotExportableException("elements put apart from each other");
        var pads = new ArrayList<>(part.start());
        for (int d = 0; d < whole.shape().rank(); d++)
            pads.add(whole.shape().dim(d) - part.start().get(d) - part.shape().dim(d));
        var y =
                graph.node(
                        "Pad",
                        x.dtype(),
                        whole.shape(),
                        List.of(
                                graph.reshaped(x, part.shape()),
                                longs(pads),
                                graph.scalar(x.dtype(), whole.fill())));
        return graph.finished(y, whole.shape(), output);
    }

    private List<Named> cut(Kernel.Cut cut, Named x, List<Type> outputs) {
        int all = cut.sizes().stream().mapToInt(Integer::intValue).sum();
        var flat = graph.reshaped(x, Shape.of(cut.outer(), all, cut.inner()));
        var types = new ArrayList<Type>();
        for (int i = 0; i < cut.sizes().size(); i++) types.add(new Type(x.dtype(), cut.shape(i)));
        var parts =
                graph.many(
                        "Split",
                        types,
                        List.of(flat, longs(cut.sizes())),
                        ProtobufWriter.attribute("axis", 1));
        var named = new ArrayList<Named>();
        for (int i = 0; i < outputs.size(); i++)
            named.add(graph.finished(parts.get(i), cut.shape(i), outputs.get(i)));
        return named;
    }

    /** The slices selected by an index, or one element for each element of the index. */
    private Named gathered(Kernel.Gather gather, List<Named> in, Type output) {
        var data = in.get(0);
        var index = in.get(1);
        var own = View.contiguous(data.shape());
        for (int axis = 0; axis < data.shape().rank(); axis++) {
            if (own.stride(axis) != gather.stride() || data.shape().dim(axis) != gather.bound())
                continue;
            var attribute = ProtobufWriter.attribute("axis", axis);
            var dims = new ArrayList<>(data.shape().dims());
            dims.remove(axis);
            dims.addAll(axis, index.shape().dims());
            if (new Shape(dims).equals(gather.shape()) && isWhole(gather, data, index, axis))
                return graph.finished(
                        graph.node("Gather", data.dtype(), gather.shape(), in, attribute),
                        gather.shape(),
                        output);
            if (index.shape().equals(gather.shape())
                    && gather.index().isContiguous(gather.shape())
                    && data.shape().rank() == gather.shape().rank())
                return graph.finished(
                        graph.node("GatherElements", data.dtype(), index.shape(), in, attribute),
                        gather.shape(),
                        output);
        }
        throw new NotExportableException("elements picked in a way that ONNX has not");
    }

    /** Whether the index varies only along its own axes of the result. */
    private static boolean isWhole(Kernel.Gather gather, Named data, Named index, int axis) {
        int width = index.shape().rank();
        for (int d = 0; d < gather.shape().rank(); d++) {
            boolean within = d >= axis && d < axis + width;
            boolean moves = gather.shape().dim(d) > 1 && gather.index().stride(d) != 0;
            if (moves && !within) return false;
        }
        return data.shape().rank() - 1 + width == gather.shape().rank();
    }

    private Named cumulated(Kernel.Cumulate sums, List<Named> in, Type output) {
        if (sums.combine() != Kernel.Combine.SUM)
            throw new NotExportableException("running products");
        if (sums.weighted()) throw new NotExportableException("linear recurrences");
        var shape =
                Shape.of(
                        Math.toIntExact(sums.outer()),
                        sums.length(),
                        Math.toIntExact(sums.inner()));
        var y =
                graph.node(
                        "CumSum",
                        in.getFirst().dtype(),
                        shape,
                        List.of(graph.reshaped(in.getFirst(), shape), graph.scalar(DType.I64, 1)),
                        ProtobufWriter.attribute("reverse", sums.reverse() ? 1 : 0));
        return graph.finished(y, shape, output);
    }

    private Named sorted(Kernel.Sort sort, Named x, Type output) {
        var shape =
                Shape.of(
                        Math.toIntExact(sort.outer()),
                        sort.length(),
                        Math.toIntExact(sort.inner()));
        var both =
                graph.many(
                        "TopK",
                        List.of(new Type(x.dtype(), shape), new Type(DType.I64, shape)),
                        List.of(graph.reshaped(x, shape), longs(List.of(sort.length()))),
                        ProtobufWriter.attribute("axis", 1),
                        ProtobufWriter.attribute("largest", sort.descending() ? 1 : 0));
        return graph.finished(both.getLast(), shape, output);
    }
}
