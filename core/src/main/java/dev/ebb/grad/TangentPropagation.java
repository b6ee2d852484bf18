package dev.ebb.grad;

import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Rewrites a graph from its first node to its last so that it propagates tangents. A node with a
 * forward rule is rewritten by it; each run of nodes without one is transposed twice, as a graph of
 * its own.
 */
final class TangentPropagation implements Op.Forwarding {
    private final Graph.Builder g = new Graph.Builder();
    private final Table<Value, Value> values = new Table<>();
    private final Map<Value, Value> tangents = new HashMap<>();

    /** How many nodes, or results, read each value. */
    private final Map<Value, Integer> reads = new HashMap<>();

    private final List<Node> stretch = new ArrayList<>();
    private boolean empty = true;

    TangentPropagation(Graph forward, List<Integer> wrt) {
        for (Value p : forward.params()) values.put(p, g.param(p.type()));
        for (int i : wrt) {
            var p = forward.params().get(i);
            tangents.put(p, g.param(p.type()));
        }
        for (Node node : forward.nodes())
            for (Value v : Set.copyOf(node.inputs())) reads.merge(v, 1, Integer::sum);
        for (Value v : Set.copyOf(forward.results())) reads.merge(v, 1, Integer::sum);
    }

    /** Whether no node with a forward rule was found so far. */
    boolean isEmpty() {
        return empty;
    }

    void add(Node node) {
        if (node.op().forward(node, this)) empty = false;
        else stretch.add(node);
    }

    /** From parameters and tangents to results and tangents. */
    Graph graph(Graph forward) {
        flush();
        var out = new ArrayList<>(forward.results().stream().map(values::at).toList());
        for (Value r : forward.results()) {
            var tangent = tangents.get(r);
            out.add(tangent == null ? g.emit(new Fill(r.type(), 0)) : tangent);
        }
        return g.build(out);
    }

    @Override
    public Graph.Builder graph() {
        flush();
        return g;
    }

    @Override
    public Value of(Value value) {
        flush();
        return values.at(value);
    }

    @Override
    public Optional<Value> tangent(Value value) {
        flush();
        return Optional.ofNullable(tangents.get(value));
    }

    @Override
    public void put(Value value, Value here, Optional<Value> tangent) {
        values.put(value, here);
        tangent.ifPresent(t -> tangents.put(value, t));
    }

    private void flush() {
        if (stretch.isEmpty()) return;
        var made = new HashSet<Value>();
        var within = new HashMap<Value, Integer>();
        var given = new LinkedHashSet<Value>();
        for (Node node : stretch) {
            for (Value v : Set.copyOf(node.inputs())) within.merge(v, 1, Integer::sum);
            for (Value v : node.inputs()) if (!made.contains(v)) given.add(v);
            made.addAll(node.outputs());
        }
        var params = List.copyOf(given);
        var results = new ArrayList<Value>();
        for (Node node : stretch)
            for (Value v : node.outputs())
                if (reads.getOrDefault(v, 0) > within.getOrDefault(v, 0)) results.add(v);
        var part = new Graph(params, List.copyOf(stretch), results);
        stretch.clear();
        var wrt =
                IntStream.range(0, params.size())
                        .filter(i -> tangents.containsKey(params.get(i)))
                        .boxed()
                        .toList();
        var arguments = new ArrayList<>(params.stream().map(values::at).toList());
        if (wrt.isEmpty()) {
            var here = g.inline(part, arguments);
            for (Value r : results) values.put(r, here.at(r));
            return;
        }
        for (int i : wrt) arguments.add(tangents.get(params.get(i)));
        var pushed = Forward.transposedTwice(part, wrt);
        var here = g.inline(pushed, arguments);
        for (int i = 0; i < results.size(); i++) {
            var r = results.get(i);
            values.put(r, here.at(pushed.results().get(i)));
            if (r.type().dtype().isFloat())
                tangents.put(r, here.at(pushed.results().get(results.size() + i)));
        }
    }
}
