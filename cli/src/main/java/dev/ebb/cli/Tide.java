package dev.ebb.cli;

import dev.ebb.exec.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Step;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many bytes lie in memory at every step of a plan, by what they are for. */
record Tide(Map<Kind, long[]> bytes, List<String> steps) {

    /** What bytes are for. */
    enum Kind {
        WEIGHTS,
        OPTIMIZER,
        DATA,
        ACTIVATIONS,
        GRADIENTS,
        WORKSPACE
    }

    /**
     * The tide of a program whose parameters are weights first, then the optimizer's state, then
     * data.
     */
    static Tide of(Layout layout, int weights, int optimizer) {
        var graph = layout.schedule().problem().graph();
        var kinds = kinds(graph, weights, optimizer);
        var steps = layout.schedule().steps();
        var bytes = new EnumMap<Kind, long[]>(Kind.class);
        for (var kind : Kind.values()) bytes.put(kind, new long[Math.max(1, steps.size())]);
        for (var slot : layout.slots()) {
            var kind = kinds.getOrDefault(slot.stays().getFirst().value(), Kind.ACTIVATIONS);
            var row = bytes.getOrDefault(kind, new long[steps.size()]);
            for (int i = Math.max(0, slot.from()); i < slot.to() && i < row.length; i++)
                row[i] += slot.bytes();
        }
        return new Tide(bytes, steps.stream().map(Tide::name).toList());
    }

    private static Map<Value, Kind> kinds(Graph graph, int weights, int optimizer) {
        var kinds = new HashMap<Value, Kind>();
        for (int i = 0; i < graph.params().size(); i++) {
            kinds.put(
                    graph.params().get(i),
                    i < weights
                            ? Kind.WEIGHTS
                            : i < weights + optimizer ? Kind.OPTIMIZER : Kind.DATA);
        }
        for (Node node : graph.nodes()) {
            for (Value v : node.outputs())
                kinds.put(v, node.reverse() ? Kind.GRADIENTS : Kind.ACTIVATIONS);
            if (Scratch.isIn(node)) kinds.put(node.outputs().getLast(), Kind.WORKSPACE);
        }
        return kinds;
    }

    private static String name(Step step) {
        return switch (step) {
            case Step.Compute(var node, _) ->
                    node.op().name() + (node.region().isTop() ? "" : " in " + node.region());
            case Step.Free(var value) -> "free " + value;
        };
    }

    /** The most bytes of one kind at once. */
    long peak(Kind kind) {
        long most = 0;
        for (long b : bytes.getOrDefault(kind, new long[0])) most = Math.max(most, b);
        return most;
    }

    /** The kinds that occur, in order. */
    List<Kind> kinds() {
        var kinds = new ArrayList<Kind>();
        for (var kind : Kind.values()) if (peak(kind) > 0) kinds.add(kind);
        return kinds;
    }
}
