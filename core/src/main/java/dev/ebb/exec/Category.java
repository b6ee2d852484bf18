package dev.ebb.exec;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Problem;

import java.util.HashSet;
import java.util.Set;

/** The use of a value's memory: the groups by which a {@link Report} adds up bytes. */
public enum Category {
    /**
     * Values that a program holds from run to run: captured tensors, and state that gradients read.
     */
    PARAMETERS,
    /** State that no gradient depends on: an optimizer's moments, running statistics, counters. */
    OPTIMIZER,
    /** Values that are passed in for each run. */
    INPUTS,
    /** Values that the forward half computes. */
    ACTIVATIONS,
    /** Values that the backward half computes, and those computed from them afterwards. */
    GRADIENTS,
    /** Memory that kernels need while they run, and that a device uses besides the arena. */
    WORKSPACE;

    /**
     * The category of every value of a problem. It depends only on the bindings of the parameters
     * and on the graph: on which values the backward half reads, and which are computed after it.
     * The next version of a state has the category of that state, whose memory it takes.
     */
    public static Table<Value, Category> of(Problem problem) {
        var graph = problem.graph();
        var categories = new Table<Value, Category>();
        var feeding = feedingReverse(graph);
        boolean differentiated = graph.nodes().stream().anyMatch(Node::reverse);
        var later = new HashSet<Value>();
        for (Node node : graph.nodes()) {
            boolean after = node.reverse() || node.inputs().stream().anyMatch(later::contains);
            for (Value v : node.outputs()) {
                if (after) later.add(v);
                boolean gradient = node.reverse() || (after && !feeding.contains(v));
                categories.put(v, gradient ? GRADIENTS : ACTIVATIONS);
            }
            if (node.workspace()) categories.put(node.outputs().getLast(), WORKSPACE);
        }
        for (var inversion : problem.inversions()) {
            if (inversion.node().workspace())
                categories.put(inversion.node().outputs().getLast(), WORKSPACE);
        }
        for (int i = 0; i < graph.params().size(); i++) {
            var p = graph.params().get(i);
            switch (problem.bindings().get(i)) {
                case Binding.Consumed _ -> categories.put(p, INPUTS);
                case Binding.Kept _ -> categories.put(p, PARAMETERS);
                case Binding.Replaced(int r) -> {
                    boolean read = !differentiated || feeding.contains(p);
                    categories.put(p, read ? PARAMETERS : OPTIMIZER);
                    categories.put(graph.results().get(r), categories.at(p));
                }
            }
        }
        return categories;
    }

    /** The values that a node of the backward half reads, or depends on through others. */
    private static Set<Value> feedingReverse(Graph graph) {
        var feeding = new HashSet<Value>();
        for (Node node : graph.nodes().reversed()) {
            if (node.reverse() || node.outputs().stream().anyMatch(feeding::contains))
                feeding.addAll(node.inputs());
        }
        return feeding;
    }
}
