package dev.ebb.pass;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;

/**
 * Reorders the nodes of a graph so that asynchronous work starts early: a node with {@link
 * Trait#BESIDE} comes directly after its operands, and as many other nodes as possible run while
 * its work is under way. For example, a gradient is sent to other ranks while the gradients of
 * earlier layers are computed.
 *
 * <p>Cheap nodes that prepare the operands, such as a copy or a sum, are moved too. Effects keep
 * their order. So if another effect lies between two such nodes, as the wait for the first one
 * does, it is moved too, as late as possible.
 */
public final class EarlyStart {
    private final List<Node> nodes;
    private final Table<Value, Integer> makers = new Table<>();

    /** For each node that is an effect, the effect before it; -1 if there is none. */
    private final int[] effectBefore;

    private final boolean[] placed;
    private final List<Node> order = new ArrayList<>();

    private EarlyStart(Graph graph) {
        nodes = graph.nodes();
        placed = new boolean[nodes.size()];
        effectBefore = new int[nodes.size()];
        int last = -1;
        for (int i = 0; i < nodes.size(); i++) {
            boolean effect = is(i, Trait.EFFECT);
            effectBefore[i] = effect ? last : -1;
            if (effect) last = i;
            for (Value v : nodes.get(i).outputs()) makers.put(v, i);
        }
    }

    public static Graph of(Graph graph) {
        if (graph.nodes().stream().noneMatch(n -> n.op().traits().contains(Trait.BESIDE)))
            return graph;
        return new Graph(graph.params(), new EarlyStart(graph).ordered(), graph.results());
    }

    private boolean is(int node, Trait trait) {
        return nodes.get(node).op().traits().contains(trait);
    }

    private List<Node> ordered() {
        var after = new ArrayList<List<Integer>>();
        for (int i = 0; i < nodes.size(); i++) after.add(new ArrayList<>());
        var start = new ArrayList<Integer>();
        for (int i = 0; i < nodes.size(); i++) {
            if (!is(i, Trait.BESIDE)) continue;
            int heavy = lastHeavy(i, new int[nodes.size()], i);
            (heavy < 0 ? start : after.get(heavy)).add(i);
        }
        start.forEach(this::place);
        for (int i = 0; i < nodes.size(); i++) {
            place(i);
            after.get(i).forEach(this::place);
        }
        return order;
    }

    /** Appends a node after all nodes that must come before it and are not in the new order yet. */
    private void place(int node) {
        if (placed[node]) return;
        placed[node] = true;
        for (int before : before(node)) place(before);
        order.add(nodes.get(node));
    }

    private List<Integer> before(int node) {
        var all = new ArrayList<Integer>();
        for (Value v : nodes.get(node).inputs()) makers.find(v).ifPresent(all::add);
        if (effectBefore[node] >= 0) all.add(effectBefore[node]);
        return all;
    }

    /**
     * The last node in the graph's order that {@code root} needs and that is not moved for it.
     *
     * @param known for each node the result plus two, or 0 if it is not computed yet
     */
    private int lastHeavy(int node, int[] known, int root) {
        if (known[node] != 0) return known[node] - 2;
        int last = -1;
        if (node != root && !isLight(node)) last = node;
        else for (int b : before(node)) last = Math.max(last, lastHeavy(b, known, root));
        known[node] = last + 2;
        return last;
    }

    /**
     * Whether a node is cheap compared with the producers of its operands, or is a part of an
     * exchange.
     */
    private boolean isLight(int node) {
        if (is(node, Trait.BESIDE) || is(node, Trait.EFFECT)) return true;
        return switch (nodes.get(node).kernel()) {
            case Kernel.Map _, Kernel.Assemble _, Kernel.Cut _ -> true;
            case Kernel.Fold _,
                    Kernel.Rows _,
                    Kernel.Contract _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Opaque _ ->
                    false;
        };
    }
}
