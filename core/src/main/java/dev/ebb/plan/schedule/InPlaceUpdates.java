package dev.ebb.plan.schedule;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Table;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Rewrites a graph so that every update of a parameter can be made in place. A node that writes
 * over a parameter must run after the parameter's other readers. Where two such nodes wait for each
 * other ({@code a, b = b, a}), or a kernel cannot write in place, the result is computed elsewhere
 * and then copied into place.
 */
public final class InPlaceUpdates {
    private final List<Node> nodes;
    private final List<Value> results;

    /**
     * For each value that must be written in place, the value whose memory it takes: a parameter or
     * an earlier update.
     */
    private final Map<Value, Value> placeOf = new LinkedHashMap<>();

    /** For each parameter the values that take its memory, the last first. */
    private final Map<Value, List<Value>> chains = new LinkedHashMap<>();

    private int next;

    private InPlaceUpdates(Problem problem) {
        var graph = problem.graph();
        this.nodes = new ArrayList<>(graph.nodes());
        this.results = new ArrayList<>(graph.results());
        for (int i = 0; i < graph.params().size(); i++) {
            if (problem.bindings().get(i) instanceof Binding.Replaced(int r)) {
                placeOf.put(graph.results().get(r), graph.params().get(i));
            }
        }
        next = graph.params().stream().mapToInt(Value::id).max().orElse(-1);
        for (Node n : nodes) for (Value v : n.outputs()) next = Math.max(next, v.id());
        next++;
    }

    /** An equal problem whose updates can all be done in place. */
    public static Problem of(Problem problem) {
        var settle = new InPlaceUpdates(problem);
        if (settle.placeOf.isEmpty()) return problem;
        settle.copyWhatIsGivenAsItWas();
        settle.splitWhatCannotReuse();
        settle.splitCircles();
        return new Problem(
                new Graph(problem.graph().params(), settle.nodes, settle.results),
                problem.bindings(),
                problem.sizes());
    }

    /** Copies a parameter that is replaced although its old value is also a result. */
    private void copyWhatIsGivenAsItWas() {
        for (int r = 0; r < results.size(); r++) {
            var param = results.get(r);
            if (!placeOf.containsValue(param) || placeOf.containsKey(param)) continue;
            var copy = new Value(next++, param.type());
            var op = new Put(param.type());
            nodes.addFirst(new Node(op, List.of(param, param), List.of(copy), Region.TOP, false));
            results.set(r, copy);
        }
    }

    private void splitWhatCannotReuse() {
        for (int i = 0; i < nodes.size(); i++) {
            for (Value out : nodes.get(i).outputs()) {
                var place = placeOf.get(out);
                if (place == null
                        || Inplace.allowed(nodes.get(i), place, out)
                        || follow(out, place)) continue;
                i = split(i, out, place);
            }
        }
    }

    /**
     * Lets the versions before {@code out} take the same memory, if {@code out} only updates them.
     */
    private boolean follow(Value out, Value place) {
        if (chains.containsKey(place)) return true;
        var chain = Inplace.chain(nodes, place, out);
        boolean free =
                chain.stream()
                        .skip(1)
                        .noneMatch(v -> results.contains(v) || placeOf.containsKey(v));
        if (chain.isEmpty() || !free) return false;
        for (int k = 0; k < chain.size(); k++)
            placeOf.put(chain.get(k), k + 1 < chain.size() ? chain.get(k + 1) : place);
        chains.put(place, chain);
        return true;
    }

    /**
     * The parameter whose memory {@code v} takes; the versions before {@code v} no longer take it.
     */
    private Value alone(Value v) {
        for (var entry : chains.entrySet()) {
            if (!entry.getValue().contains(v)) continue;
            entry.getValue().forEach(placeOf::remove);
            var place = entry.getKey();
            placeOf.put(entry.getValue().getFirst(), place);
            chains.remove(place);
            return place;
        }
        return Objects.requireNonNull(placeOf.get(v));
    }

    /**
     * Lets node {@code i} compute {@code out} in other memory, and adds a copy into the memory of
     * {@code place}.
     */
    private int split(int i, Value out, Value place) {
        var node = nodes.get(i);
        var elsewhere = new Value(next++, out.type());
        var outputs = node.outputs().stream().map(v -> v.equals(out) ? elsewhere : v).toList();
        nodes.set(i, node.on(node.inputs(), outputs));
        for (int j = i + 1; j < nodes.size(); j++) {
            var n = nodes.get(j);
            var inputs = n.inputs().stream().map(v -> v.equals(out) ? elsewhere : v).toList();
            nodes.set(j, n.on(inputs, n.outputs()));
        }
        nodes.add(
                new Node(
                        new Put(out.type()),
                        List.of(place, elsewhere),
                        List.of(out),
                        node.region(),
                        node.reverse()));
        return i;
    }

    private void splitCircles() {
        for (int stuck = stuck(); stuck >= 0; stuck = stuck()) {
            for (Value out : nodes.get(stuck).outputs()) {
                if (!placeOf.containsKey(out)) continue;
                var place = alone(out);
                split(writer(place), written(place), place);
            }
        }
    }

    private Value written(Value place) {
        return placeOf.entrySet().stream()
                .filter(e -> e.getValue().equals(place))
                .findAny()
                .orElseThrow()
                .getKey();
    }

    private int writer(Value place) {
        var out = written(place);
        int i = 0;
        while (!nodes.get(i).outputs().contains(out)) i++;
        return i;
    }

    /** The first node with an update in a cycle of dependences, or -1. */
    private int stuck() {
        var readers = new Table<Value, List<Integer>>();
        var producer = new Table<Value, Integer>();
        for (int i = 0; i < nodes.size(); i++) {
            for (Value v : nodes.get(i).outputs()) producer.put(v, i);
            for (Value v : nodes.get(i).inputs()) {
                if (!readers.has(v)) readers.put(v, new ArrayList<>());
                readers.at(v).add(i);
            }
        }
        List<Set<Integer>> waits = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            var before = new LinkedHashSet<Integer>();
            for (Value v : nodes.get(i).inputs()) producer.find(v).ifPresent(before::add);
            for (Value out : nodes.get(i).outputs()) {
                var place = placeOf.get(out);
                if (place != null) before.addAll(readers.find(place).orElse(List.of()));
            }
            before.remove(i);
            waits.add(before);
        }
        var done = new HashSet<Integer>();
        for (boolean moved = true; moved; ) {
            moved = false;
            for (int i = 0; i < nodes.size(); i++) {
                if (!done.contains(i) && done.containsAll(waits.get(i))) moved |= done.add(i);
            }
        }
        for (int i = 0; i < nodes.size(); i++) {
            boolean copy = nodes.get(i).op() instanceof Put;
            boolean update = nodes.get(i).outputs().stream().anyMatch(placeOf::containsKey);
            if (!done.contains(i) && update && !copy) return i;
        }
        return -1;
    }

    /** Copies the second operand into the memory of the first. */
    private record Put(Type type) implements Op {
        @Override
        public String name() {
            return "put";
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            return List.of(type);
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            var view = View.contiguous(type.shape());
            return Kernel.Map.of(type.shape(), List.of(view, view), Scalar.arg(1));
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new IllegalStateException(
                    "derivatives are taken before updates are put in place");
        }
    }
}
