package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.Decoded;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;

/**
 * The same nodes in another order: what begins something beside the computation ({@link
 * Trait#BESIDE}) comes as soon as what it reads is there, and so much else as possible after it. A
 * gradient is sent to other ranks while the gradients of the layers before it are computed.
 *
 * <p>What it reads is often moved or added up first: such light nodes come along. Effects keep
 * their order among each other, so an effect that comes between two of them, such as the wait for
 * the one before, comes along too, as late as it may be.
 */
public final class Early {
    private final List<Node> nodes;
    private final Table<Value, Integer> makers = new Table<>();

    /** The effect before each node, if that is one; -1 for none. */
    private final int[] effectBefore;

    private final boolean[] placed;
    private final List<Node> order = new ArrayList<>();

    private Early(Graph graph) {
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
        return new Graph(graph.params(), new Early(graph).ordered(), graph.results());
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

    /** Puts a node behind all that must come before it and is not there yet. */
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
     * @param known of each node what was found, plus two
     */
    private int lastHeavy(int node, int[] known, int root) {
        if (known[node] != 0) return known[node] - 2;
        int last = -1;
        if (node != root && !isLight(node)) last = node;
        else for (int b : before(node)) last = Math.max(last, lastHeavy(b, known, root));
        known[node] = last + 2;
        return last;
    }

    /** Whether a node is cheap beside what makes its operands, or part of an exchange itself. */
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
                    Decoded _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Kernel.Library _,
                    Control _ ->
                    false;
        };
    }
}
