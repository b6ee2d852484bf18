package dev.ebb.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A function in SSA form: nodes in an order that may be executed, no data, no pointers between
 * nodes. A graph that exists is well-formed; the constructor checks.
 */
public record Graph(List<Value> params, List<Node> nodes, List<Value> results) {

    public Graph {
        params = List.copyOf(params);
        nodes = List.copyOf(nodes);
        results = List.copyOf(results);
        var defined = new HashSet<Value>();
        params.forEach(p -> define(defined, p));
        for (Node node : nodes) {
            node.inputs().forEach(v -> require(defined, v, node));
            var expected = node.op().infer(node.inputTypes());
            if (!expected.equals(Value.types(node.results()))) {
                throw new IllegalArgumentException(node + " should have type " + expected);
            }
            node.outputs().forEach(v -> define(defined, v));
        }
        for (Value r : results) require(defined, r, "results");
    }

    private static void define(Set<Value> defined, Value v) {
        if (!defined.add(v)) throw new IllegalArgumentException(v + " is assigned twice");
    }

    private static void require(Set<Value> defined, Value v, Object where) {
        if (!defined.contains(v)) {
            throw new IllegalArgumentException(v + " is used before it is assigned, in " + where);
        }
    }

    /** A number larger than those of all its values. */
    public int unusedId() {
        int most = params.stream().mapToInt(Value::id).max().orElse(-1);
        for (Node node : nodes) for (Value v : node.outputs()) most = Math.max(most, v.id());
        return most + 1;
    }

    /**
     * The traits of an op whose body is this graph: it has an effect, or is nondeterministic, if
     * one of the nodes is.
     */
    public Set<Trait> traits() {
        var all = EnumSet.noneOf(Trait.class);
        for (Node node : nodes) all.addAll(node.op().traits());
        all.retainAll(EnumSet.of(Trait.EFFECT, Trait.NONDETERMINISTIC));
        return Collections.unmodifiableSet(all);
    }

    @Override
    public String toString() {
        return params.stream()
                        .map(p -> p + ":" + p.type())
                        .collect(Collectors.joining(", ", "graph(", ") {\n"))
                + nodes.stream().map(n -> "  " + n + "\n").collect(Collectors.joining())
                + results.stream()
                        .map(Value::toString)
                        .collect(Collectors.joining(", ", "  return ", "\n}"));
    }

    /** Emits nodes in order; {@link #build} keeps only what the results need, and every effect. */
    public static final class Builder {
        private final List<Value> params = new ArrayList<>();
        private final List<Node> nodes = new ArrayList<>();
        private final List<Value> minted = new ArrayList<>();
        private Region region = Region.TOP;
        private boolean reverse;

        public Builder() {}

        public Value param(Type type) {
            var value = fresh(type);
            params.add(value);
            return value;
        }

        /**
         * Nodes emitted from now on belong to {@code region}, in the user's program or its backward
         * half.
         */
        public void at(Region where, boolean backwards) {
            region = where;
            reverse = backwards;
        }

        public Region region() {
            return region;
        }

        public boolean isReverse() {
            return reverse;
        }

        public List<Value> emit(Op op, List<Value> inputs) {
            return emit(op, inputs, Set.of());
        }

        /** As {@link #emit(Op, List)}, with the labels of the node. */
        @SuppressWarnings(
                "ReferenceEquality") // compared by identity: an equal value may belong to another
        // graph
        public List<Value> emit(Op op, List<Value> inputs, Set<String> labels) {
            for (int i = 0; i < inputs.size(); i++) {
                var v = inputs.get(i);
                if (v.id() >= minted.size() || minted.get(v.id()) != v) {
                    throw new IllegalArgumentException(
                            op.name() + ": " + v + " belongs to another graph");
                }
            }
            var types = op.infer(Value.types(inputs));
            var outputs =
                    types.size() == 1
                            ? List.of(fresh(types.getFirst()))
                            : types.stream().map(this::fresh).toList();
            nodes.add(new Node(op, inputs, outputs, region, reverse, labels, false));
            return outputs;
        }

        public Value emit(Op op, Value... inputs) {
            return emit(op, List.of(inputs)).getFirst();
        }

        /** The nodes emitted so far, in order; a live view. */
        public List<Node> nodes() {
            return Collections.unmodifiableList(nodes);
        }

        /** How many nodes were emitted so far. */
        public int count() {
            return nodes.size();
        }

        /** The node that was emitted last. */
        public Node last() {
            return nodes.getLast();
        }

        /**
         * Copies the nodes of {@code graph} into this one, with {@code arguments} for its
         * parameters; its regions are nested in the current one. Returns the copy of each value.
         */
        public Table<Value, Value> inline(Graph graph, List<Value> arguments) {
            var here = new Table<Value, Value>();
            for (int i = 0; i < arguments.size(); i++)
                here.put(graph.params().get(i), arguments.get(i));
            var outer = region;
            boolean backwards = reverse;
            for (Node node : graph.nodes()) {
                var inner = outer;
                for (String name : node.region().path()) inner = inner.enter(name);
                at(inner, backwards || node.reverse());
                var inputs = node.inputs().stream().map(here::at).toList();
                var outputs = emit(node.op(), inputs, node.labels());
                for (int i = 0; i < outputs.size(); i++)
                    here.put(node.outputs().get(i), outputs.get(i));
            }
            at(outer, backwards);
            return here;
        }

        public Graph build(List<Value> results) {
            var needed = new HashSet<>(results);
            var kept = new ArrayList<Node>();
            for (Node node : nodes.reversed()) {
                if (node.op().traits().contains(Trait.EFFECT)
                        || node.outputs().stream().anyMatch(needed::contains)) {
                    needed.addAll(node.inputs());
                    kept.add(node);
                }
            }
            return new Graph(params, kept.reversed(), results);
        }

        private Value fresh(Type type) {
            minted.add(new Value(minted.size(), type));
            return minted.getLast();
        }
    }
}
