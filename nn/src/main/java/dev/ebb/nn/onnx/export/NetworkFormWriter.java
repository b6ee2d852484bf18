package dev.ebb.nn.onnx.export;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.nn.onnx.export.GraphWriter.Named;
import dev.ebb.nn.onnx.wire.ProtobufWriter;
import dev.ebb.tensor.network.MaxPoolOp;

import java.util.ArrayList;
import java.util.List;

/** Writes convolutions, pools and attention as ONNX nodes. */
final class NetworkFormWriter {
    private final GraphWriter graph;

    NetworkFormWriter(GraphWriter graph) {
        this.graph = graph;
    }

    Named maxPool(MaxPoolOp op, List<Named> in, Type output) {
        var pads = new ArrayList<>(op.pool().padding());
        pads.addAll(op.pool().padding());
        return graph.node(
                "MaxPool",
                output.dtype(),
                output.shape(),
                in,
                ProtobufWriter.attribute("kernel_shape", op.pool().kernel()),
                ProtobufWriter.attribute("strides", op.pool().stride()),
                ProtobufWriter.attribute("pads", pads));
    }

    /** A convolution, or a transposed one. */
    Named convolved(Kernel.Convolve c, List<Named> in, Type output) {
        if (c.side() == Kernel.Side.WEIGHT)
            throw new NotExportableException("the gradient of a convolution");
        boolean forward = c.side() == Kernel.Side.OUTPUT;
        var high = new ArrayList<Integer>();
        var extra = new ArrayList<Integer>();
        for (int i = 0; i < c.in().size(); i++) {
            int reach = (c.kernel().get(i) - 1) * c.dilation().get(i) + 1;
            int after =
                    (c.out().get(i) - 1) * c.stride().get(i)
                            + reach
                            - c.low().get(i)
                            - c.in().get(i);
            high.add(Math.max(0, after));
            extra.add(Math.max(0, -after));
        }
        var pads = new ArrayList<>(c.low());
        pads.addAll(high);
        var attributes =
                new ArrayList<>(
                        List.of(
                                ProtobufWriter.attribute("strides", c.stride()),
                                ProtobufWriter.attribute("dilations", c.dilation()),
                                ProtobufWriter.attribute("pads", pads),
                                ProtobufWriter.attribute("group", c.groups())));
        if (!forward) attributes.add(ProtobufWriter.attribute("output_padding", extra));
        int channels = c.groups() * (forward ? c.inChannels() : c.outChannels());
        int made = c.groups() * (forward ? c.outChannels() : c.inChannels());
        var kernel = Shape.of(c.groups() * c.outChannels(), c.inChannels()).append(c.kernel());
        var x =
                graph.reshaped(
                        in.get(forward ? 0 : 1),
                        Shape.of(c.batch(), channels).append(forward ? c.in() : c.out()));
        var shape = Shape.of(c.batch(), made).append(forward ? c.out() : c.in());
        var y =
                graph.node(
                        forward ? "Conv" : "ConvTranspose",
                        x.dtype(),
                        shape,
                        List.of(x, graph.reshaped(in.get(forward ? 1 : 0), kernel)),
                        attributes.toArray(ProtobufWriter[]::new));
        return graph.finished(y, shape, output);
    }

    Named attended(Kernel.Attend attend, List<Named> in, Type output) {
        AttentionShape h = attend.heads();
        if (!attend.out().isContiguous(h.outShape()))
            throw new NotExportableException("attention whose result lies transposed");
        var q = ViewWriter.read(graph, in.get(0), attend.operands().get(0), h.queryShape());
        var k = forEach(h, in.get(1), attend.operands().get(1), h.keyShape());
        var v = forEach(h, in.get(2), attend.operands().get(2), h.valueShape());
        var turned = graph.permuted(k, List.of(0, 1, 3, 2));
        var products = graph.node("MatMul", q.dtype(), h.scoreShape(), List.of(q, turned));
        var arguments = new ArrayList<>(List.of(products));
        arguments.addAll(
                ViewWriter.readAll(graph, in.subList(3, in.size()), h.mask(), h.scoreShape()));
        var elements = new ElementWriter(graph, h.scoreShape(), arguments);
        var type = q.dtype().compute();
        Scalar scores =
                new Scalar.Bin(Scalar.Fn2.MUL, new Scalar.Arg(0), new Scalar.Lit(type, h.scale()));
        for (int i = 1; i < arguments.size(); i++)
            scores = new Scalar.Bin(Scalar.Fn2.ADD, scores, new Scalar.Arg(i));
        if (h.causal()) {
            var last =
                    new Scalar.Bin(
                            Scalar.Fn2.ADD,
                            new Scalar.Index(2),
                            new Scalar.Lit(DType.I32, h.keys() - h.queries()));
            var seen = new Scalar.Bin(Scalar.Fn2.LE, new Scalar.Index(3), last);
            var none = new Scalar.Lit(type, Double.NEGATIVE_INFINITY);
            scores = new Scalar.Select(seen, scores, none);
        }
        var weights =
                graph.node(
                        "Softmax",
                        type,
                        h.scoreShape(),
                        List.of(graph.expanded(elements.of(scores), h.scoreShape())),
                        ProtobufWriter.attribute("axis", 3));
        var y =
                graph.node(
                        "MatMul",
                        v.dtype(),
                        h.outShape(),
                        List.of(graph.cast(weights, v.dtype()), v));
        return graph.finished(y, h.outShape(), output);
    }

    /** Keys or values, repeated for the heads that share them. */
    private Named forEach(AttentionShape h, Named x, View view, Shape shape) {
        var own = ViewWriter.read(graph, x, view, shape);
        if (h.heads() == h.keyHeads()) return own;
        int group = h.heads() / h.keyHeads();
        int rows = shape.dim(2);
        int width = shape.dim(3);
        var apart = graph.reshaped(own, Shape.of(h.batch(), h.keyHeads(), 1, rows, width));
        var all = graph.expanded(apart, Shape.of(h.batch(), h.keyHeads(), group, rows, width));
        return graph.reshaped(all, Shape.of(h.batch(), h.heads(), rows, width));
    }
}
