package dev.ebb.batch;

import dev.ebb.control.ScanOp;
import dev.ebb.ir.Graph;
import dev.ebb.ir.IterationCosts;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.tensor.op.Axes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rewrites a graph for one example into a graph for a batch along a new first axis. Values that do
 * not depend on the example are computed once. It knows no op by name: the rule depends on the
 * kernel form ({@link BatchedForms}). Where no single kernel of that form computes the batch, as
 * for plain Java or a branch whose predicate differs between examples, a loop processes one example
 * after the other. Either way each example gets the bits it would get alone, because no kernel's
 * order of summation depends on axes that are kept.
 */
public final class Vmap implements Op.Batching {
    private final Graph.Builder graph;
    private final int size;
    private final Table<Value, Value> here = new Table<>();
    private final Set<Value> differing = new HashSet<>();
    private final Table<Value, Value> repeated = new Table<>();

    private Vmap(Graph.Builder graph, int size) {
        this.graph = graph;
        this.size = size;
    }

    /**
     * {@code graph} for a batch of {@code size} examples. {@code params} says which parameters are
     * batched. A result is batched if it depends on a batched value or if {@code stacked} requires
     * it.
     */
    public static Body of(Graph graph, int size, List<Boolean> params, List<Boolean> stacked) {
        var vmap = new Vmap(new Graph.Builder(), size);
        for (int i = 0; i < params.size(); i++) {
            var p = graph.params().get(i);
            var type = params.get(i) ? BatchedForms.stacked(p.type(), size) : p.type();
            vmap.put(p, vmap.graph.param(type), params.get(i));
        }
        vmap.nodes(graph.nodes());
        var results = new ArrayList<Value>();
        var differs = new ArrayList<Boolean>();
        for (int i = 0; i < graph.results().size(); i++) {
            var r = graph.results().get(i);
            differs.add(stacked.get(i) || vmap.differs(r));
            results.add(differs.getLast() ? vmap.stacked(r) : vmap.of(r));
        }
        return new Body(vmap.graph.build(results), differs);
    }

    private void nodes(List<Node> nodes) {
        var outer = graph.region();
        boolean reverse = graph.isReverse();
        for (Node node : nodes) {
            graph.at(node.region(), node.reverse());
            boolean once = Trait.once(node.op().traits());
            if (once || node.inputs().stream().anyMatch(this::differs)) {
                node.op().batch(node, this);
            } else {
                var inputs = node.inputs().stream().map(this::of).toList();
                var out = graph.emit(node.op(), inputs, node.labels());
                for (int i = 0; i < out.size(); i++) put(node.outputs().get(i), out.get(i), false);
            }
        }
        graph.at(outer, reverse);
    }

    @Override
    public Graph.Builder graph() {
        return graph;
    }

    @Override
    public boolean differs(Value value) {
        return differing.contains(value);
    }

    @Override
    public Value of(Value value) {
        return here.at(value);
    }

    @Override
    public Value stacked(Value value) {
        if (differs(value)) return of(value);
        var known = repeated.find(value);
        if (known.isPresent()) return known.get();
        var all = graph.emit(Axes.repeated(size, value.type()), of(value));
        repeated.put(value, all);
        return all;
    }

    @Override
    public void put(Value value, Value stands, boolean differs) {
        here.put(value, stands);
        if (differs) differing.add(value);
    }

    @Override
    public Value swapped(Value value) {
        return graph.emit(Axes.swapped(value.type()), value);
    }

    @Override
    public void together(Node node) {
        var along =
                BatchedForms.needsAll(node.kernel())
                        ? Collections.nCopies(node.inputs().size(), true)
                        : node.inputs().stream().map(this::differs).toList();
        var op = new BatchedOp(node.op(), size, along);
        if (op.form(node.inputTypes()).isEmpty()) {
            oneByOne(node);
            return;
        }
        var inputs = new ArrayList<Value>();
        for (int i = 0; i < along.size(); i++) {
            var v = node.inputs().get(i);
            inputs.add(along.get(i) ? stacked(v) : of(v));
        }
        var outputs = graph.emit(op, inputs, node.labels());
        for (int i = 0; i < outputs.size(); i++) put(node.outputs().get(i), outputs.get(i), true);
    }

    @Override
    public void oneByOne(Node node) {
        var g = new Graph.Builder();
        var arguments = new Table<Value, Value>();
        var operands = new ArrayList<Value>();
        int constants = 0;
        for (boolean differs : List.of(false, true)) {
            for (Value v : new java.util.LinkedHashSet<>(node.inputs())) {
                if (differs(v) != differs) continue;
                arguments.put(v, g.param(v.type()));
                operands.add(of(v));
                if (!differs) constants++;
            }
        }
        var body = g.build(g.emit(node.op(), node.inputs().stream().map(arguments::at).toList()));
        var loop =
                new ScanOp(
                        body,
                        size,
                        constants,
                        0,
                        false,
                        false,
                        Trait.once(body.traits()),
                        IterationCosts.EVEN,
                        Optional.empty());
        var outputs = graph.emit(loop, operands, node.labels());
        for (int i = 0; i < node.outputs().size(); i++)
            put(node.outputs().get(i), outputs.get(i), true);
    }

    @Override
    public Body body(Graph body, List<Boolean> params, List<Boolean> stacked) {
        return of(body, size, params, stacked);
    }
}
