package dev.ebb.pass.tiling;

import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;
import dev.ebb.pass.Lowered;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Splits fused kernels where more of the computation can then be done in tiles. A product that sums
 * over all rows and has an epilogue becomes a product without one and a map of its sums. A fold
 * over all rows that cannot be cut becomes a map and a fold of its result, if that result is at
 * most half as large as the largest operand in rows. No bit changes: a value is the same in memory
 * as in a register.
 */
final class SplitKernels {
    private final Graph graph;
    private final int rows;
    private final Node.Cuts cuts;
    private int next;

    SplitKernels(Graph graph, int rows, Node.Cuts cuts) {
        this.graph = graph;
        this.rows = rows;
        this.cuts = cuts;
        next = graph.unusedId();
    }

    /** The graph with the products among nodes {@code own} split, and the folds that read them. */
    Graph around(Set<Integer> own, List<Optional<TileAxis>> axes) {
        var made = new HashSet<Value>();
        for (int n : own) made.addAll(graph.nodes().get(n).outputs());
        var nodes = new ArrayList<Node>();
        for (int n = 0; n < axes.size(); n++) {
            var node = graph.nodes().get(n);
            if (own.contains(n) && axes.get(n).filter(TileAxis::hasEpilogue).isPresent())
                nodes.addAll(product(node, (Kernel.Contract) node.kernel()));
            else if (axes.get(n).isEmpty()
                    && node.kernel() instanceof Kernel.Fold k
                    && k.bodies().size() == 1
                    && node.inputs().stream().anyMatch(made::contains)) nodes.addAll(fold(node, k));
            else nodes.add(node);
        }
        return nodes.equals(graph.nodes())
                ? graph
                : new Graph(graph.params(), nodes, graph.results());
    }

    private List<Node> product(Node node, Kernel.Contract k) {
        var shape = k.shape();
        var type = new Type(node.inputs().getFirst().type().dtype().compute(), shape);
        var sum = new Value(next++, type);
        var plain =
                new Kernel.Contract(
                        k.batch(), k.m(), k.n(), k.k(), k.a(), k.b(), List.of(), Scalar.arg(0));
        var views = new ArrayList<>(List.of(View.contiguous(shape)));
        views.addAll(k.extras());
        var inputs = new ArrayList<>(List.of(sum));
        inputs.addAll(node.inputs().subList(2, node.inputs().size()));
        return List.of(
                with(node, plain, node.inputs().subList(0, 2), sum),
                with(
                        node,
                        Kernel.Map.of(shape, views, k.epilogue()),
                        inputs,
                        node.outputs().getFirst()));
    }

    private List<Node> fold(Node node, Kernel.Fold k) {
        var type = k.body().type(node.inputTypes().stream().map(Type::dtype).toList());
        if (type != DType.F32 && type != DType.F64) return List.of(node);
        var elements = new Value(next, new Type(type, k.shape()));
        var map = Kernel.Map.of(k.shape(), k.operands(), k.body());
        var first = with(node, map, node.inputs(), elements);
        var axis = TileAxis.of(first, rows, cuts);
        if (axis.isEmpty()) return List.of(node);
        long read = 0;
        for (int i = 0; i < node.inputs().size(); i++)
            if (axis.get().inRows().get(i))
                read = Math.max(read, node.inputs().get(i).type().bytes());
        if (2 * elements.type().bytes() > read) return List.of(node);
        next++;
        var view = View.contiguous(k.shape());
        var plain = new Kernel.Fold(k.shape(), k.axes(), k.combine(), List.of(view), Scalar.arg(0));
        return List.of(first, with(node, plain, List.of(elements), node.outputs().getFirst()));
    }

    private static Node with(Node node, Kernel kernel, List<Value> inputs, Value output) {
        return Lowered.of(node, kernel, inputs, List.of(output), node.op().traits());
    }
}
