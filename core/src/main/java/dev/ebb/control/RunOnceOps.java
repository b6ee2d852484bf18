package dev.ebb.control;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * Ops that run only once, effects and such that may differ, in the body of a loop or branch. The
 * derivative of a body runs its ops again where it needs their values; of these it must not. So the
 * body gives what they gave as further results, which are kept, and the derivative reads that. So
 * it is with a function of which many derivatives are taken.
 */
public final class RunOnceOps {
    private RunOnceOps() {}

    private static boolean is(Node node) {
        return Trait.once(node.op().traits());
    }

    /** All that the ops of {@code body} give that run only once. */
    static List<Value> values(Graph body) {
        return body.nodes().stream()
                .filter(RunOnceOps::is)
                .flatMap(node -> node.outputs().stream())
                .toList();
    }

    /** {@code body} with these as its last results. */
    public static Graph giving(Graph body) {
        var results = new ArrayList<>(body.results());
        results.addAll(values(body));
        return new Graph(body.params(), body.nodes(), results);
    }

    /**
     * {@code pulled}, the pullback or pushforward of {@code forward}, which gives all its {@link
     * #values}: without the ops that gave them. What they gave are its last parameters, in that
     * order.
     */
    public static Graph given(Graph pulled, Graph forward) {
        var params = new ArrayList<>(pulled.params());
        for (Value v : values(forward))
            params.add(pulled.results().get(forward.results().indexOf(v)));
        var known = new HashSet<>(params);
        // those of the forward half come first
        long silent = forward.nodes().stream().filter(n -> is(n) && n.outputs().isEmpty()).count();
        var nodes = new ArrayList<Node>();
        for (Node node : pulled.nodes()) {
            if (node.outputs().stream().anyMatch(known::contains)) continue;
            if (is(node) && node.outputs().isEmpty() && silent-- > 0) continue;
            nodes.add(node);
        }
        return new Graph(params, nodes, pulled.results());
    }
}
