package dev.ebb.pass;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Moves a gather from widened floats before the widening, which does not change the bits. Then the
 * wide tensor is never stored: the other readers, sums and elementwise kernels, widen each element
 * as they read it. A loss of sixteen-bit logits is an example.
 */
final class NarrowGathers {
    private NarrowGathers() {}

    static Graph of(Graph graph) {
        Map<Value, Node> widening = new HashMap<>();
        for (Node node : graph.nodes()) {
            if (widens(node)) widening.put(node.outputs().getFirst(), node);
        }
        if (graph.nodes().stream().noneMatch(node -> picks(node, widening))) return graph;
        var g = new Graph.Builder();
        var here = new Table<Value, Value>();
        for (Value p : graph.params()) here.put(p, g.param(p.type()));
        for (Node node : graph.nodes()) {
            g.at(node.region(), node.reverse());
            var inputs = node.inputs().stream().map(here::at).toList();
            if (picks(node, widening)) {
                var wide = Objects.requireNonNull(widening.get(node.inputs().getFirst()));
                var narrow = here.at(wide.inputs().getFirst());
                here.put(node.outputs().getFirst(), pick(g, node, narrow, inputs.get(1)));
                continue;
            }
            var outputs = g.emit(node.op(), inputs, node.labels());
            for (int i = 0; i < outputs.size(); i++)
                here.put(node.outputs().get(i), outputs.get(i));
        }
        return g.build(graph.results().stream().map(here::at).toList());
    }

    private static boolean picks(Node node, Map<Value, Node> widening) {
        return node.kernel() instanceof Kernel.Gather
                && !Trait.once(node.op().traits())
                && widening.containsKey(node.inputs().getFirst());
    }

    /** Whether a node is just a cast of all elements to a wider float. */
    private static boolean widens(Node node) {
        if (!(node.kernel() instanceof Kernel.Map map) || node.inputs().size() != 1) return false;
        var from = node.inputs().getFirst().type().dtype();
        return map.bodies().size() == 1
                && map.bodies().getFirst() instanceof Scalar.Cast(var to, Scalar.Arg(int i))
                && i == 0
                && from.isFloat()
                && to.isFloat()
                && to.bytes(1) > from.bytes(1)
                && map.operands().getFirst().equals(View.contiguous(map.shape()));
    }

    private static Value pick(Graph.Builder g, Node node, Value narrow, Value index) {
        var type = node.outputs().getFirst().type();
        var shape = type.shape();
        var op = node.op();
        var picked =
                g.emit(
                        new Lowered(
                                op.name(),
                                node.kernel(),
                                List.of(new Type(narrow.type().dtype(), shape)),
                                op.traits(),
                                List.of()),
                        List.of(narrow, index),
                        node.labels());
        var widen = new Scalar.Cast(type.dtype(), Scalar.arg(0));
        var cast = Kernel.Map.of(shape, List.of(View.contiguous(shape)), widen);
        return g.emit(
                new Lowered("cast", cast, List.of(type), Set.of(), List.of()), picked.getFirst());
    }
}
