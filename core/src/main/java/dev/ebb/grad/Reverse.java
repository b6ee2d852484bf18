package dev.ebb.grad;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * Reverse mode as a graph-to-graph transformation. It knows no op by name: each node's op adds its
 * own derivative. A value of the forward half that the backward half reads is simply an edge of the
 * graph, so the planner sees every residual. Applied to its own result, the transformation gives
 * the next order of derivative.
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
        var active = active(forward.nodes(), wrt.stream().map(forward.params()::get).toList());
        var wanted = new HashSet<>(targets);
        for (Node node : active) for (Value v : node.outputs()) wanted.add(here.at(v));
        var adjoints = new Cotangents(g, wanted);
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).type().dtype().isFloat()) adjoints.add(results.get(i), seeds.get(i));
        }
        for (Node node : active.reversed()) {
            var copy =
                    node.on(
                            node.inputs().stream().map(here::at).toList(),
                            node.outputs().stream().map(here::at).toList());
            if (copy.outputs().stream().anyMatch(adjoints::reached)) {
                g.at(node.region(), true);
                copy.op().pullback(copy, adjoints);
            }
        }
        var out = new ArrayList<>(results);
        targets.forEach(t -> out.add(adjoints.of(t)));
        return g.build(out);
    }

    /**
     * As {@link #pullback}, of a function whose first result is one float, with respect to
     * parameters of which at least one holds floats; the gradient of the others is zero.
     */
    public static Graph gradient(Graph forward, List<Integer> wrt) {
        var by = wrt.stream().map(i -> forward.params().get(i).type()).toList();
        if (!by.isEmpty() && by.stream().noneMatch(t -> t.dtype().isFloat())) {
            throw new ShapeException(
                    "grad by "
                            + by.getFirst()
                            + ": only floats have a gradient; give floats, for example by"
                            + " cast(DType.F32) before the function is called");
        }
        var y = forward.results().getFirst().type();
        if (y.shape().rank() != 0 || !y.dtype().isFloat()) {
            throw new ShapeException(
                    "grad needs a function whose value is one float, this one gives "
                            + y
                            + (y.shape().rank() == 0
                                    ? "; compute it in floats"
                                    : "; reduce it with sum() or mean(), or use vjp or jacobian"));
        }
        return pullback(forward, wrt);
    }

    /**
     * The sum of two cotangents, emitted into {@code graph}; in F32 if they are sixteen-bit floats.
     */
    public static Value sum(Graph.Builder graph, Value a, Value b) {
        return graph.emit(new Accumulate(), a, b);
    }

    /**
     * A sum of cotangents of {@code of}, cast to the type of {@code of}; emitted into {@code
     * graph}.
     */
    public static Value rounded(Graph.Builder graph, Value sum, Value of) {
        return CotangentCast.to(of.type().dtype(), sum, graph);
    }

    /** The nodes among {@code nodes} that depend on a value of {@code wrt}, in order. */
    public static List<Node> active(List<Node> nodes, List<Value> wrt) {
        var values = new HashSet<>(wrt);
        return nodes.stream()
                .filter(
                        n ->
                                n.inputs().stream().anyMatch(values::contains)
                                        && values.addAll(n.outputs()))
                .toList();
    }
}
