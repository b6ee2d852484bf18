package dev.ebb.pass;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Computes equal things once and drops what nothing needs. */
public final class Simplify {
    private Simplify() {}

    private record Key(Op op, List<Value> inputs) {}

    public static Graph of(Graph graph) {
        var g = new Graph.Builder();
        var here = new Table<Value, Value>();
        Map<Key, List<Value>> known = new HashMap<>();
        for (Value p : graph.params()) here.put(p, g.param(p.type()));
        for (Node node : graph.nodes()) {
            var inputs = node.inputs().stream().map(here::at).toList();
            boolean once =
                    node.op().traits().contains(Trait.EFFECT)
                            || node.op().traits().contains(Trait.NONDETERMINISTIC);
            g.at(node.region(), node.reverse());
            var outputs =
                    once
                            ? g.emit(node.op(), inputs)
                            : known.computeIfAbsent(
                                    new Key(node.op(), inputs), k -> g.emit(k.op(), k.inputs()));
            for (int i = 0; i < outputs.size(); i++)
                here.put(node.outputs().get(i), outputs.get(i));
        }
        return g.build(graph.results().stream().map(here::at).toList());
    }
}
