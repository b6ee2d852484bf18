package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Graphs as text with the kernel of every node, and the graphs inside loops and branches: for
 * golden files, and for developers who inspect the result of a pass. A graph's own text names only
 * its ops.
 */
public final class KernelText {
    private KernelText() {}

    /** {@code graph}, a line for each node and one for its kernel. */
    public static String of(Graph graph) {
        var text = new StringBuilder();
        append(graph, "", text);
        return text.toString();
    }

    private static void append(Graph graph, String indent, StringBuilder text) {
        text.append(
                graph.params().stream()
                        .map(p -> p + ":" + p.type())
                        .collect(Collectors.joining(", ", indent + "graph(", ")\n")));
        for (Node node : graph.nodes()) {
            text.append(indent).append("  ").append(node).append('\n');
            var kernel = node.kernel();
            text.append(indent).append("      ").append(of(kernel, node)).append('\n');
            if (kernel instanceof Control control)
                for (Graph body : control.bodies()) append(body, indent + "      ", text);
        }
        text.append(
                graph.results().stream()
                        .map(Value::toString)
                        .collect(Collectors.joining(", ", indent + "  return ", "\n")));
    }

    private static String of(Kernel kernel, Node node) {
        var in = node.inputs();
        return switch (kernel) {
            case Kernel.Map k -> {
                var args = reads(in, k.operands(), k.shape());
                yield "map " + k.shape() + ": " + bodies(k.bodies(), args);
            }
            case Kernel.Fold k ->
                    name(k.combine())
                            + " over axes "
                            + k.axes()
                            + " of "
                            + k.shape()
                            + ": "
                            + bodies(k.bodies(), reads(in, k.operands(), k.shape()));
            case Kernel.Rows k -> rows(k, in);
            case Kernel.Contract k ->
                    contract(
                            k,
                            in.get(0).toString(),
                            in.get(1).toString(),
                            in.subList(2, in.size()));
            case DecodingContract k -> decoded(k, in);
            case Kernel.Assemble k ->
                    "assemble "
                            + k.shape()
                            + k.parts().stream()
                                    .map(p -> p.shape() + " at " + p.start() + " by " + p.step())
                                    .collect(Collectors.joining("; ", ": ", ""));
            case Kernel.Cut k -> "cut " + k.outer() + " x " + k.sizes() + " x " + k.inner();
            case Kernel.Gather k ->
                    "gather " + k.shape() + " stride " + k.stride() + " bound " + k.bound();
            case Kernel.Scatter k ->
                    "scatter, "
                            + name(k.write())
                            + ", "
                            + k.shape()
                            + " into "
                            + k.size()
                            + " bound "
                            + k.bound();
            case Kernel.Cumulate k ->
                    (k.weighted() ? "weighted running " : "running ")
                            + name(k.combine())
                            + (k.reverse() ? " from the end, " : ", ")
                            + k.outer()
                            + " x "
                            + k.length()
                            + " x "
                            + k.inner();
            case Kernel.Sort k ->
                    "sort "
                            + (k.descending() ? "from the largest on, " : "")
                            + k.outer()
                            + " x "
                            + k.length()
                            + " x "
                            + k.inner();
            case Kernel.Convolve k ->
                    "convolve "
                            + k.side().name().toLowerCase(Locale.ROOT)
                            + ", kernel "
                            + k.kernel()
                            + ", stride "
                            + k.stride();
            case Kernel.Attend(var heads, var operands, _) -> "attend " + heads + operands;
            case Kernel.AttendGrad(var heads, var operands, var results) ->
                    "attend, gradient " + heads + operands + results;
            case Control.Scan k ->
                    "scan of "
                            + k.times()
                            + " iterations, "
                            + k.checkpointing().getClass().getSimpleName();
            case Control.While k -> "while, at most " + k.limit() + " iterations";
            case Control.ReverseScan k ->
                    "reverse scan of " + k.forward().times() + " iterations, " + k.start();
            case Control.Cond _ -> "branch";
            case Kernel.Library k -> "library, " + k.workspaceBytes() + " bytes of workspace";
        };
    }

    private static String rows(Kernel.Rows k, List<Value> in) {
        var args = new ArrayList<>(reads(in, k.operands(), k.shape()));
        var text = new StringBuilder("rows of " + k.shape() + " from axis " + k.leading() + ": ");
        for (var number : k.numbers()) {
            var name = "n" + (args.size() - in.size());
            text.append(name).append(" = ");
            switch (number) {
                case RowParts.Fold(var combine, var body) ->
                        text.append(name(combine))
                                .append('(')
                                .append(scalar(body, args))
                                .append(')');
                case RowParts.Apply(var body) -> text.append(scalar(body, args));
            }
            text.append("; ");
            args.add(name);
        }
        return text
                + k.results().stream()
                        .map(
                                result ->
                                        switch (result) {
                                            case RowParts.Elements(var body) -> scalar(body, args);
                                            case RowParts.RowNumber(int index) -> "n" + index;
                                            case RowParts.Columns(var combine, var body) ->
                                                    name(combine)
                                                            + " of columns "
                                                            + scalar(body, args);
                                        })
                        .collect(Collectors.joining(", "));
    }

    /** The map that computes the factor, in brackets. */
    private static String decoded(DecodingContract k, List<Value> in) {
        var map = k.factor();
        var args = reads(k.encoded(in), map.operands(), map.shape());
        var factor = "(map " + map.shape() + ": " + bodies(map.bodies(), args) + ")";
        return contract(k.product(), in.getFirst().toString(), factor, k.extras(in));
    }

    private static String contract(Kernel.Contract k, String a, String b, List<Value> extras) {
        var args = new ArrayList<String>();
        args.add("sum");
        args.addAll(extras.stream().map(Value::toString).toList());
        return "product "
                + k.batch()
                + " "
                + k.m()
                + "x"
                + k.k()
                + "x"
                + k.n()
                + " of "
                + a
                + view(k.a())
                + " and "
                + b
                + view(k.b())
                + ": "
                + scalar(k.epilogue(), args);
    }

    private static List<String> reads(List<Value> in, List<View> views, Shape shape) {
        var contiguous = View.contiguous(shape);
        var args = new ArrayList<String>();
        for (int i = 0; i < views.size(); i++)
            args.add(in.get(i) + (views.get(i).equals(contiguous) ? "" : view(views.get(i))));
        return args;
    }

    private static String view(View view) {
        return "{" + (view.offset() == 0 ? "" : view.offset() + "+") + view.strides() + "}";
    }

    private static String bodies(List<Scalar> bodies, List<String> args) {
        return bodies.stream().map(b -> scalar(b, args)).collect(Collectors.joining("; "));
    }

    private static String scalar(Scalar body, List<String> args) {
        return switch (body) {
            case Scalar.Arg(int i) -> args.get(i);
            case Scalar.Lit(_, double value) -> Double.toString(value);
            case Scalar.Index(int axis) -> "index" + axis;
            case Scalar.Position() -> "position";
            case Scalar.Un(var fn, var x) -> name(fn) + "(" + scalar(x, args) + ")";
            case Scalar.Bin(var fn, var x, var y) ->
                    name(fn) + "(" + scalar(x, args) + ", " + scalar(y, args) + ")";
            case Scalar.Select(var condition, var yes, var no) ->
                    "select(" + bodies(List.of(condition, yes, no), args).replace("; ", ", ") + ")";
            case Scalar.Cast(var to, var x) -> to + "(" + scalar(x, args) + ")";
            case Scalar.Draw(var key, var counter) ->
                    "draw(" + scalar(key, args) + ", " + scalar(counter, args) + ")";
        };
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
