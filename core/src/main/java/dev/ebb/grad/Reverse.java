package dev.ebb.grad;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reverse mode as a graph-to-graph transformation. It knows no op by name: each node's op adds its
 * own derivative. What the backward half reads of the forward half is simply an edge, so the
 * planner sees every residual; applied to its own result it gives the next order.
 */
public final class Reverse {
    private Reverse() {}

    /**
     * {@code (params) -> results} becomes {@code (params, seeds) -> (results, cotangents of wrt)}:
     * a seed for every result, a cotangent for every parameter number in {@code wrt}.
     */
    public static Graph pullback(Graph forward, List<Integer> wrt) {
        var g = new Graph.Builder();
        var params = forward.params().stream().map(p -> g.param(p.type())).toList();
        var seeds = forward.results().stream().map(r -> g.param(r.type())).toList();
        var here = g.inline(forward, params);
        var results = forward.results().stream().map(here::at).toList();

        var targets = wrt.stream().map(params::get).toList();
        var active = active(forward, wrt);
        var wanted = new HashSet<>(targets);
        for (Node node : active) for (Value v : node.outputs()) wanted.add(here.at(v));
        var adjoints = new Cotangents(g, wanted);
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).type().dtype().isFloat()) adjoints.add(results.get(i), seeds.get(i));
        }
        for (Node node : active.reversed()) {
            var copy =
                    new Node(
                            node.op(),
                            node.inputs().stream().map(here::at).toList(),
                            node.outputs().stream().map(here::at).toList(),
                            node.region(),
                            node.reverse());
            if (copy.outputs().stream().anyMatch(adjoints::reached)) {
                g.at(node.region(), true);
                copy.op().pullback(copy, adjoints);
            }
        }
        var out = new ArrayList<>(results);
        targets.forEach(t -> out.add(adjoints.of(t)));
        return g.build(out);
    }

    /** Nodes that depend on a parameter of {@code wrt}, in order. */
    private static List<Node> active(Graph graph, List<Integer> wrt) {
        var values = new HashSet<Value>();
        wrt.forEach(i -> values.add(graph.params().get(i)));
        return graph.nodes().stream()
                .filter(
                        n ->
                                n.inputs().stream().anyMatch(values::contains)
                                        && values.addAll(n.outputs()))
                .toList();
    }

    private record Cotangents(Graph.Builder graph, Set<Value> useful, Map<Value, Value> known)
            implements Adjoints {
        Cotangents(Graph.Builder graph, Set<Value> useful) {
            this(graph, useful, new HashMap<>());
        }

        @Override
        public boolean reached(Value value) {
            return known.containsKey(value);
        }

        @Override
        public boolean wanted(Value value) {
            return useful.contains(value);
        }

        @Override
        public Value of(Value value) {
            var dy = known.get(value);
            return dy != null ? dy : graph.emit(new Fill(value.type(), 0));
        }

        @Override
        public void add(Value value, Value cotangent) {
            if (!value.type().equals(cotangent.type())) {
                throw new IllegalStateException(
                        "the cotangent of "
                                + value
                                + " has type "
                                + cotangent.type()
                                + " where "
                                + value.type()
                                + " is expected: the derivative rule is wrong");
            }
            if (!wanted(value)) return;
            known.merge(value, cotangent, (a, b) -> graph.emit(new Accumulate(), a, b));
        }
    }
}
