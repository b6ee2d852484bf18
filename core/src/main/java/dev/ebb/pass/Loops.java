package dev.ebb.pass;

import dev.ebb.ir.Control;
import dev.ebb.ir.Control.Checkpointing;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Rewrites loops and their derivatives. A derivative contains a copy of the loop that stacks all
 * carries; {@link #merge} merges the loop and this copy into one loop. {@link Reversals} then
 * replaces the stack by the checkpoints that fit into memory. The bits of an iteration do not
 * depend on when it runs, so no result changes.
 */
public final class Loops {
    private Loops() {}

    private record Key(Kernel loop, List<Value> inputs) {}

    /**
     * {@code whole} with each loop and the copy of it that also stacks its carries merged into that
     * copy.
     */
    public static Graph merge(Graph whole) {
        var graph = inside(whole, Loops::merge);
        var asked = new HashMap<Key, Node>();
        for (Node node : graph.nodes()) {
            if (node.kernel() instanceof Control.Scan k
                    && k.checkpointing() instanceof Checkpointing.Everything) {
                asked.putIfAbsent(
                        new Key(k.withCheckpointing(new Checkpointing.Nothing()), node.inputs()),
                        node);
            }
        }
        if (asked.isEmpty()) return graph;
        var standsFor = new Table<Value, Value>();
        var placed = new HashSet<Node>();
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            if (placed.contains(node)) continue;
            var inputs = node.inputs().stream().map(v -> standsFor.find(v).orElse(v)).toList();
            var again = again(node, inputs).flatMap(key -> Optional.ofNullable(asked.get(key)));
            if (again.isEmpty() || !placed.add(again.get())) {
                nodes.add(node.on(inputs, node.outputs()));
                continue;
            }
            var merged = merged(node, again.get(), inputs);
            nodes.add(merged);
            for (int i = 0; i < again.get().outputs().size(); i++) {
                // the count of a while loop is between the carries and the stacks
                boolean stack = i >= again.get().outputs().size() - carries(node.kernel());
                int at = stack ? i - again.get().outputs().size() + merged.outputs().size() : i;
                standsFor.put(again.get().outputs().get(i), merged.outputs().get(at));
            }
        }
        return new Graph(
                graph.params(),
                nodes,
                graph.results().stream().map(v -> standsFor.find(v).orElse(v)).toList());
    }

    /** {@code graph} with the graphs inside its kernels replaced. */
    static Graph inside(Graph graph, UnaryOperator<Graph> bodies) {
        return with(graph, k -> k.withBodies(k.bodies().stream().map(bodies).toList()));
    }

    /** {@code graph} with its loops and branches replaced by equivalent ones. */
    public static Graph with(Graph graph, UnaryOperator<Control> kernels) {
        if (graph.nodes().stream().noneMatch(n -> n.kernel() instanceof Control)) return graph;
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            nodes.add(
                    node.kernel() instanceof Control k
                            ? Lowered.of(
                                    node,
                                    kernels.apply(k),
                                    node.inputs(),
                                    node.outputs(),
                                    node.op().traits())
                            : node);
        }
        return new Graph(graph.params(), nodes, graph.results());
    }

    /** The key of the copy of the loop of {@code node} that a derivative contains. */
    private static Optional<Key> again(Node node, List<Value> inputs) {
        return switch (node.kernel()) {
            case Control.Scan k when k.checkpointing() instanceof Checkpointing.Nothing ->
                    Optional.of(new Key(k, inputs));
            case Control.While k when k.checkpointing() instanceof Checkpointing.Nothing -> {
                var counted = new ArrayList<>(List.of(node.outputs().getLast()));
                counted.addAll(inputs);
                yield Optional.of(new Key(k.iterations(new Checkpointing.Nothing()), counted));
            }
            case Control.Scan _, Control.While _, Control.ReverseScan _, Control.Cond _ ->
                    Optional.empty();
            case Kernel.Viewed _,
                    Kernel.Rows _,
                    Kernel.Assemble _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Opaque _ ->
                    Optional.empty();
        };
    }

    static int carries(Kernel kernel) {
        return kernel instanceof Control.While w ? w.carries() : ((Control.Scan) kernel).carries();
    }

    /** The number of outputs of a loop without those for its checkpointing. */
    static int plainOutputs(Kernel kernel) {
        return kernel instanceof Control.While w
                ? 1 + w.body().results().size()
                : ((Control.Scan) kernel).body().results().size();
    }

    private static Node merged(Node node, Node again, List<Value> inputs) {
        int carries = carries(node.kernel());
        var outputs = new ArrayList<>(node.outputs());
        outputs.addAll(
                again.outputs().subList(again.outputs().size() - carries, again.outputs().size()));
        return Lowered.of(
                node,
                withCheckpointing(node.kernel(), new Checkpointing.Everything()),
                inputs,
                outputs,
                node.op().traits());
    }

    static Kernel withCheckpointing(Kernel kernel, Checkpointing checkpointing) {
        return kernel instanceof Control.While w
                ? w.withCheckpointing(checkpointing)
                : ((Control.Scan) kernel).withCheckpointing(checkpointing);
    }
}
