package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.Control.Checkpointing;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Removes the stacks of loops that no node reads; they would take memory for every iteration. */
public final class UnreadStacks {
    private UnreadStacks() {}

    public static Graph of(Graph graph) {
        var read = new HashSet<>(graph.results());
        for (Node node : graph.nodes()) read.addAll(node.inputs());
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            var kernel = node.kernel();
            if (kernel instanceof Control.Scan k) nodes.add(lean(node, k, k.body(), read));
            else if (kernel instanceof Control.While k) nodes.add(lean(node, k, k.body(), read));
            else nodes.add(node);
        }
        return Loops.inside(new Graph(graph.params(), nodes, graph.results()), UnreadStacks::of);
    }

    private static Node lean(Node node, Kernel loop, Graph body, Set<Value> read) {
        int carries = Loops.carries(loop);
        int plain = Loops.plainOutputs(loop);
        int first = loop instanceof Control.While ? carries + 1 : carries;
        var outputs = new ArrayList<>(node.outputs().subList(0, first));
        var results = new ArrayList<>(body.results().subList(0, carries));
        for (int i = first; i < plain; i++) {
            if (!read.contains(node.outputs().get(i))) continue;
            outputs.add(node.outputs().get(i));
            results.add(body.results().get(carries + i - first));
        }
        var kept = node.outputs().subList(plain, node.outputs().size());
        boolean forgets = !kept.isEmpty() && kept.stream().noneMatch(read::contains);
        if (!forgets) outputs.addAll(kept);
        if (outputs.size() == node.outputs().size()) return node;
        var lean = Simplify.of(new Graph(body.params(), body.nodes(), results));
        var kernel = forgets ? Loops.withCheckpointing(loop, new Checkpointing.Nothing()) : loop;
        return Lowered.of(
                node, with(kernel, lean), node.inputs(), List.copyOf(outputs), node.op().traits());
    }

    private static Kernel with(Kernel loop, Graph body) {
        return loop instanceof Control.While k
                ? k.withBodies(List.of(k.condition(), body))
                : with((Control.Scan) loop, body);
    }

    private static Kernel with(Control.Scan k, Graph body) {
        var bodies = new ArrayList<>(k.bodies());
        bodies.set(0, body);
        return k.withBodies(bodies);
    }
}
