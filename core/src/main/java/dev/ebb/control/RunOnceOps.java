package dev.ebb.control;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * Ops in the body of a loop or branch that must run only once: effects, and ops whose result may
 * differ from run to run. The derivative of a body runs the ops of the body again where it needs
 * their values, but it must not run these. So the body returns their results as further results,
 * which are kept, and the derivative reads those. The same holds for a function of which many
 * derivatives are taken, such as the rows of a Jacobian.
 */
public final class RunOnceOps {
    private RunOnceOps() {}

    private static boolean runsOnce(Node node) {
        return Trait.once(node.op().traits());
    }

    /** The results of the ops of {@code body} that run only once. */
    static List<Value> results(Graph body) {
        return body.nodes().stream()
                .filter(RunOnceOps::runsOnce)
                .flatMap(node -> node.outputs().stream())
                .toList();
    }

    /** {@code body} with {@link #results} as its last results. */
    public static Graph withResults(Graph body) {
        var results = new ArrayList<>(body.results());
        results.addAll(results(body));
        return new Graph(body.params(), body.nodes(), results);
    }

    /**
     * {@code derivative}, the pullback or pushforward of {@code forward}, without the ops that run
     * only once: their results, all of which {@code forward} returns, become the last parameters,
     * in the order of {@link #results}.
     */
    public static Graph withoutOps(Graph derivative, Graph forward) {
        var params = new ArrayList<>(derivative.params());
        for (Value v : results(forward))
            params.add(derivative.results().get(forward.results().indexOf(v)));
        var known = new HashSet<>(params);
        // the nodes of the forward half come first
        long silent =
                forward.nodes().stream().filter(n -> runsOnce(n) && n.outputs().isEmpty()).count();
        var nodes = new ArrayList<Node>();
        for (Node node : derivative.nodes()) {
            if (node.outputs().stream().anyMatch(known::contains)) continue;
            if (runsOnce(node) && node.outputs().isEmpty() && silent-- > 0) continue;
            nodes.add(node);
        }
        return new Graph(params, nodes, derivative.results());
    }
}
