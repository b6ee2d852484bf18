package dev.ebb.pass;

import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Kernel.Remember;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
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
 * What becomes of a loop and its derivative. A derivative asks for the loop again, with all carries
 * stacked: {@link #merge} makes the two one. {@link #checkpoint} then trades the stack for a few
 * checkpoints, from which the reverse loop brings the carries back. The bits of a round do not
 * depend on when it runs, so nothing else changes.
 */
public final class Loops {
    private Loops() {}

    private record Key(Kernel loop, List<Value> inputs) {}

    /**
     * {@code graph} with every loop that is also asked for with its carries run once, and with
     * them.
     */
    public static Graph merge(Graph graph) {
        var asked = new HashMap<Key, Node>();
        for (Node node : graph.nodes()) {
            if (node.kernel() instanceof Kernel.Scan k
                    && k.remember() instanceof Remember.Everything) {
                asked.putIfAbsent(
                        new Key(k.remembering(new Remember.Nothing()), node.inputs()), node);
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
                nodes.add(
                        new Node(node.op(), inputs, node.outputs(), node.region(), node.reverse()));
                continue;
            }
            var merged = merged(node, again.get(), inputs);
            nodes.add(merged);
            for (int i = 0; i < again.get().outputs().size(); i++) {
                // of a while loop, the count lies between the carries and the stacks
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

    /** How a derivative would ask for the loop of {@code node} again. */
    private static Optional<Key> again(Node node, List<Value> inputs) {
        return switch (node.kernel()) {
            case Kernel.Scan k when k.remember() instanceof Remember.Nothing ->
                    Optional.of(new Key(k, inputs));
            case Kernel.While k when k.remember() instanceof Remember.Nothing -> {
                var counted = new ArrayList<>(List.of(node.outputs().getLast()));
                counted.addAll(inputs);
                yield Optional.of(new Key(rounds(k, new Remember.Nothing()), counted));
            }
            case Kernel.Scan _, Kernel.While _, Kernel.Sweep _, Kernel.Cond _ -> Optional.empty();
            case Kernel.Map _,
                    Kernel.Fold _,
                    Kernel.Contract _,
                    Kernel.Assemble _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Convolve _,
                    Kernel.Attend _,
                    Kernel.AttendGrad _,
                    Kernel.Library _ ->
                    Optional.empty();
        };
    }

    private static Kernel.Scan rounds(Kernel.While k, Remember remember) {
        return new Kernel.Scan(
                k.body(), k.limit(), k.constants(), k.carries(), false, true, remember);
    }

    private static int carries(Kernel kernel) {
        return kernel instanceof Kernel.While w ? w.carries() : ((Kernel.Scan) kernel).carries();
    }

    /** The outputs of a loop besides what it remembers. */
    private static int plainOutputs(Kernel kernel) {
        return kernel instanceof Kernel.While w
                ? w.carries() + 1
                : ((Kernel.Scan) kernel).body().results().size();
    }

    private static Node merged(Node node, Node again, List<Value> inputs) {
        int carries = carries(node.kernel());
        var outputs = new ArrayList<>(node.outputs());
        outputs.addAll(
                again.outputs().subList(again.outputs().size() - carries, again.outputs().size()));
        return lowered(
                node,
                remembering(node.kernel(), new Remember.Everything()),
                inputs,
                outputs,
                Set.of());
    }

    private static Kernel remembering(Kernel kernel, Remember what) {
        return kernel instanceof Kernel.While w
                ? w.remembering(what)
                : ((Kernel.Scan) kernel).remembering(what);
    }

    /** A loop whose carries only its reverse reads. */
    private record Pair(Node forward, Node backward) {
        boolean ofUnknownLength() {
            return forward.kernel() instanceof Kernel.While;
        }

        /** The forward loop as its reverse runs it again. */
        Kernel.Scan rounds() {
            return forward.kernel() instanceof Kernel.While w
                    ? Loops.rounds(w, new Remember.Nothing())
                    : ((Kernel.Scan) forward.kernel()).remembering(new Remember.Nothing());
        }
    }

    /** The rounds of the longest loop whose carries could be brought back; 0 if there is none. */
    public static int longest(Graph graph) {
        return pairs(graph).stream().mapToInt(p -> p.rounds().times()).max().orElse(0);
    }

    private static List<Pair> pairs(Graph graph) {
        Map<Value, Set<Node>> readers = new HashMap<>();
        for (Node node : graph.nodes()) {
            for (Value v : node.inputs())
                readers.computeIfAbsent(v, _ -> new HashSet<>()).add(node);
        }
        var pairs = new ArrayList<Pair>();
        for (Node node : graph.nodes()) {
            if (!remembersEverything(node.kernel()) || carries(node.kernel()) == 0) continue;
            var stacks = stacks(node);
            var by =
                    stacks.stream()
                            .flatMap(v -> readers.getOrDefault(v, Set.of()).stream())
                            .distinct()
                            .toList();
            if (by.size() != 1 || stacks.stream().anyMatch(graph.results()::contains)) continue;
            var pair = new Pair(node, by.getFirst());
            if (reverses(by.getFirst(), pair.rounds(), stacks)) pairs.add(pair);
        }
        return pairs;
    }

    private static boolean remembersEverything(Kernel kernel) {
        return (kernel instanceof Kernel.Scan s && s.remember() instanceof Remember.Everything)
                || (kernel instanceof Kernel.While w
                        && w.remember() instanceof Remember.Everything);
    }

    private static List<Value> stacks(Node node) {
        return node.outputs().subList(plainOutputs(node.kernel()), node.outputs().size());
    }

    private static boolean reverses(Node node, Kernel.Scan forward, List<Value> stacks) {
        if (!(node.kernel() instanceof Kernel.Scan k)
                || !(k.remember() instanceof Remember.Nothing)) return false;
        int first = (k.counted() ? 1 : 0) + k.constants() + k.carries();
        var inputs = node.inputs();
        return k.times() == forward.times()
                && k.counted() == forward.counted()
                && k.reverse() != forward.reverse()
                && inputs.size() >= first + stacks.size()
                && inputs.subList(first, first + stacks.size()).equals(stacks)
                && stacks.stream().allMatch(s -> inputs.stream().filter(s::equals).count() == 1);
    }

    /** {@code graph} with at most {@code slots} carries of each loop kept for its reverse. */
    public static Graph checkpoint(Graph graph, int slots) {
        return checkpoint(graph, slots, pairs(graph));
    }

    /**
     * {@code graph} with at most {@code slots} carries kept of each loop whose length only the run
     * will tell.
     */
    public static Graph checkpointUnknown(Graph graph, int slots) {
        return checkpoint(
                graph, slots, pairs(graph).stream().filter(Pair::ofUnknownLength).toList());
    }

    private static Graph checkpoint(Graph graph, int slots, List<Pair> pairs) {
        var nodes = new ArrayList<>(graph.nodes());
        int next =
                1
                        + Math.max(
                                graph.params().stream().mapToInt(Value::id).max().orElse(-1),
                                nodes.stream()
                                        .flatMap(n -> n.outputs().stream())
                                        .mapToInt(Value::id)
                                        .max()
                                        .orElse(-1));
        for (var pair : pairs) {
            int kept = Math.min(slots, pair.rounds().times());
            var checkpoints = new ArrayList<Value>();
            for (Value stack : stacks(pair.forward)) {
                var shape = stack.type().shape().with(0, kept - 1);
                checkpoints.add(new Value(next++, stack.type().with(shape)));
            }
            if (pair.ofUnknownLength())
                checkpoints.add(new Value(next++, new Type(DType.I64, Shape.of(kept - 1))));
            var outputs =
                    new ArrayList<>(
                            pair.forward.outputs().subList(0, plainOutputs(pair.forward.kernel())));
            outputs.addAll(checkpoints);
            var kernel = remembering(pair.forward.kernel(), new Remember.Checkpoints(kept));
            nodes.set(
                    nodes.indexOf(pair.forward),
                    lowered(pair.forward, kernel, pair.forward.inputs(), outputs, Set.of()));
            nodes.set(nodes.indexOf(pair.backward), sweep(pair, kept, checkpoints));
        }
        return new Graph(graph.params(), nodes, graph.results());
    }

    private static Node sweep(Pair pair, int slots, List<Value> checkpoints) {
        var k = pair.rounds();
        var b = (Kernel.Scan) pair.backward.kernel();
        var inputs = new ArrayList<Value>();
        if (k.counted()) inputs.add(pair.backward.inputs().getFirst());
        inputs.addAll(
                pair.ofUnknownLength() || !k.counted()
                        ? pair.forward.inputs()
                        : pair.forward.inputs().subList(1, pair.forward.inputs().size()));
        inputs.addAll(checkpoints);
        var rest =
                pair.backward.inputs().subList(b.counted() ? 1 : 0, pair.backward.inputs().size());
        int first = b.constants() + b.carries();
        inputs.addAll(rest.subList(0, first));
        inputs.addAll(rest.subList(first + k.carries(), rest.size()));
        var ahead =
                new Kernel.Scan(
                        onlyCarries(k),
                        k.times(),
                        k.constants(),
                        k.carries(),
                        k.reverse(),
                        k.counted(),
                        k.remember(),
                        k.pace());
        // it uses its checkpoints up, so it cannot run twice
        return lowered(
                pair.backward,
                new Kernel.Sweep(ahead, b, slots),
                inputs,
                pair.backward.outputs(),
                Set.of(Trait.NONDETERMINISTIC));
    }

    private static Graph onlyCarries(Kernel.Scan k) {
        var g = new Graph.Builder();
        var here =
                g.inline(k.body(), k.body().params().stream().map(p -> g.param(p.type())).toList());
        return g.build(k.body().results().subList(0, k.carries()).stream().map(here::at).toList());
    }

    private static Node lowered(
            Node node, Kernel kernel, List<Value> inputs, List<Value> outputs, Set<Trait> traits) {
        List<Type> types = outputs.stream().map(Value::type).toList();
        return new Node(
                new Lowered(node.op().name(), kernel, types, traits),
                inputs,
                outputs,
                node.region(),
                node.reverse());
    }
}
