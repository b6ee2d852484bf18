package dev.ebb.pass;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What becomes of a loop and its derivative. A derivative asks for the loop again, with all carries stacked:
 * {@link #merge} makes the two one. {@link #checkpoint} then trades the stack for a few checkpoints, from which the
 * reverse loop brings the carries back. The bits of a round do not depend on when it runs, so nothing else changes.
 */
public final class Loops {
    private Loops() {}

    private record Key(Kernel.Scan loop, List<Value> inputs) {}

    /** {@code graph} with every loop that is also asked for with its carries run once, and with them. */
    public static Graph merge(Graph graph) {
        var asked = new HashMap<Key, Node>();
        for (Node node : graph.nodes()) {
            if (node.kernel() instanceof Kernel.Scan k && k.remember() instanceof Kernel.Remember.Everything) {
                asked.putIfAbsent(new Key(k.remembering(new Kernel.Remember.Nothing()), node.inputs()), node);
            }
        }
        if (asked.isEmpty()) return graph;
        var standsFor = new Table<Value, Value>();
        var placed = new HashSet<Node>();
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            var inputs = node.inputs().stream().map(v -> standsFor.find(v).orElse(v)).toList();
            var merged = Optional.<Node>empty();
            if (node.kernel() instanceof Kernel.Scan k && k.remember() instanceof Kernel.Remember.Nothing) {
                merged = Optional.ofNullable(asked.get(new Key(k, inputs)));
            }
            if (merged.isPresent()) {
                var whole = merged.get();
                if (placed.add(whole)) {
                    nodes.add(new Node(whole.op(), inputs, whole.outputs(), node.region(), node.reverse()));
                }
                for (int i = 0; i < node.outputs().size(); i++) standsFor.put(node.outputs().get(i), whole.outputs().get(i));
            } else if (!placed.contains(node)) {
                nodes.add(new Node(node.op(), inputs, node.outputs(), node.region(), node.reverse()));
            }
        }
        return new Graph(
                graph.params(), nodes, graph.results().stream().map(v -> standsFor.find(v).orElse(v)).toList());
    }

    /** A loop whose carries only its reverse reads. */
    private record Pair(Node forward, Node backward) {}

    /** The rounds of the longest loop whose carries could be brought back; 0 if there is none. */
    public static int longest(Graph graph) {
        return pairs(graph).stream().mapToInt(p -> scan(p.forward).times()).max().orElse(0);
    }

    private static Kernel.Scan scan(Node node) {
        return (Kernel.Scan) node.kernel();
    }

    private static List<Pair> pairs(Graph graph) {
        Map<Value, Set<Node>> readers = new HashMap<>();
        for (Node node : graph.nodes()) {
            for (Value v : node.inputs()) readers.computeIfAbsent(v, _ -> new HashSet<>()).add(node);
        }
        var pairs = new ArrayList<Pair>();
        for (Node node : graph.nodes()) {
            if (!(node.kernel() instanceof Kernel.Scan k)) continue;
            if (!(k.remember() instanceof Kernel.Remember.Everything) || k.carries() == 0) continue;
            var stacks = stacks(node, k);
            var by = stacks.stream().flatMap(v -> readers.getOrDefault(v, Set.of()).stream()).distinct().toList();
            if (by.size() == 1 && stacks.stream().noneMatch(graph.results()::contains) && reverses(by.getFirst(), k, stacks)) {
                pairs.add(new Pair(node, by.getFirst()));
            }
        }
        return pairs;
    }

    private static List<Value> stacks(Node node, Kernel.Scan k) {
        return node.outputs().subList(k.body().results().size(), node.outputs().size());
    }

    private static boolean reverses(Node node, Kernel.Scan forward, List<Value> stacks) {
        if (!(node.kernel() instanceof Kernel.Scan k) || !(k.remember() instanceof Kernel.Remember.Nothing)) return false;
        int first = k.constants() + k.carries();
        var inputs = node.inputs();
        return k.times() == forward.times()
                && k.reverse() != forward.reverse()
                && inputs.size() >= first + stacks.size()
                && inputs.subList(first, first + stacks.size()).equals(stacks)
                && stacks.stream().allMatch(s -> inputs.stream().filter(s::equals).count() == 1);
    }

    /** {@code graph} with at most {@code slots} carries of each loop kept for its reverse. */
    public static Graph checkpoint(Graph graph, int slots) {
        var nodes = new ArrayList<>(graph.nodes());
        int next = 1 + Math.max(
                graph.params().stream().mapToInt(Value::id).max().orElse(-1),
                nodes.stream().flatMap(n -> n.outputs().stream()).mapToInt(Value::id).max().orElse(-1));
        for (var pair : pairs(graph)) {
            var k = scan(pair.forward);
            int kept = Math.min(slots, k.times());
            var plain = pair.forward.outputs().subList(0, k.body().results().size());
            var checkpoints = new ArrayList<Value>();
            for (Value stack : stacks(pair.forward, k)) {
                checkpoints.add(new Value(next++, stack.type().with(stack.type().shape().with(0, Math.max(0, kept - 1)))));
            }
            var outputs = new ArrayList<>(plain);
            outputs.addAll(checkpoints);
            nodes.set(nodes.indexOf(pair.forward), lowered(pair.forward,
                    k.remembering(new Kernel.Remember.Checkpoints(kept)), pair.forward.inputs(), outputs, Set.of()));
            nodes.set(nodes.indexOf(pair.backward), sweep(pair, k, kept, checkpoints));
        }
        return new Graph(graph.params(), nodes, graph.results());
    }

    private static Node sweep(Pair pair, Kernel.Scan k, int slots, List<Value> checkpoints) {
        var b = scan(pair.backward);
        int first = b.constants() + b.carries();
        var ahead = new Kernel.Scan(
                onlyCarries(k), k.times(), k.constants(), k.carries(), k.reverse(), new Kernel.Remember.Nothing());
        var inputs = new ArrayList<>(pair.forward.inputs());
        inputs.addAll(checkpoints);
        inputs.addAll(pair.backward.inputs().subList(0, first));
        inputs.addAll(pair.backward.inputs().subList(first + k.carries(), pair.backward.inputs().size()));
        // it uses its checkpoints up, so it cannot run twice
        return lowered(pair.backward, new Kernel.Sweep(ahead, b, slots), inputs, pair.backward.outputs(),
                Set.of(Trait.NONDETERMINISTIC));
    }

    private static Graph onlyCarries(Kernel.Scan k) {
        var g = new Graph.Builder();
        var here = g.inline(k.body(), k.body().params().stream().map(p -> g.param(p.type())).toList());
        return g.build(k.body().results().subList(0, k.carries()).stream().map(here::at).toList());
    }

    private static Node lowered(Node node, Kernel kernel, List<Value> inputs, List<Value> outputs, Set<Trait> traits) {
        List<Type> types = outputs.stream().map(Value::type).toList();
        return new Node(new Lowered(node.op().name(), kernel, types, traits), inputs, outputs, node.region(), node.reverse());
    }

}
