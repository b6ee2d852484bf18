package dev.ebb.pass;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Label;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Computes equal expressions once and drops dead code. A {@link Label} passes its name on to the op
 * that computes its operand, so that named and unnamed reads of a value are one.
 */
public final class Simplify {
    private Simplify() {}

    private record Key(Op op, List<Value> inputs) {}

    public static Graph of(Graph graph) {
        var g = new Graph.Builder();
        var here = new Table<Value, Value>();
        Map<Key, List<Value>> known = new HashMap<>();
        Map<Value, Set<String>> labels = new HashMap<>();
        for (Value p : graph.params()) here.put(p, g.param(p.type()));
        for (Node node : graph.nodes()) {
            var inputs = node.inputs().stream().map(here::at).toList();
            if (node.op() instanceof Label(var text)) {
                labels.computeIfAbsent(inputs.getFirst(), _ -> new TreeSet<>()).add(text);
                here.put(node.outputs().getFirst(), inputs.getFirst());
                continue;
            }
            boolean once = Trait.once(node.op().traits());
            g.at(node.region(), node.reverse());
            var outputs =
                    once
                            ? g.emit(node.op(), inputs)
                            : known.computeIfAbsent(
                                    new Key(node.op(), inputs), k -> g.emit(k.op(), k.inputs()));
            for (int i = 0; i < outputs.size(); i++) {
                here.put(node.outputs().get(i), outputs.get(i));
                if (!node.labels().isEmpty())
                    labels.computeIfAbsent(outputs.get(i), _ -> new TreeSet<>())
                            .addAll(node.labels());
            }
        }
        return labelled(g.build(graph.results().stream().map(here::at).toList()), labels);
    }

    private static Graph labelled(Graph graph, Map<Value, Set<String>> labels) {
        if (labels.isEmpty()) return graph;
        var nodes = new ArrayList<Node>();
        for (Node n : graph.nodes()) {
            var own = new TreeSet<String>();
            for (Value v : n.outputs()) own.addAll(labels.getOrDefault(v, Set.of()));
            nodes.add(n.labelled(own));
        }
        return new Graph(graph.params(), nodes, graph.results());
    }
}
