package dev.ebb.exec;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Problem;

import java.util.HashSet;
import java.util.Set;

/** What the memory of a value is used for: the groups in which a {@link Report} adds bytes up. */
public enum Category {
    /** What a program holds from run to run: captured tensors, and state that gradients read. */
    PARAMETERS,
    /** State that no gradient depends on: an optimizer's moments, running statistics, counters. */
    OPTIMIZER,
    /** What is fed anew for every run. */
    INPUTS,
    /** What the forward half computes. */
    ACTIVATIONS,
    /** What the backward half computes, and what is made of it afterwards. */
    GRADIENTS,
    /** What kernels need while they run, and what a device owns besides the arena. */
    WORKSPACE;

    /**
     * The category of every value of a problem. It follows from the bindings of the parameters and
     * from the graph alone: who is read by the backward half, and who comes after it. The next
     * version of a state counts as the state in whose place it lies.
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
            if (WorkspaceOp.isIn(node)) categories.put(node.outputs().getLast(), WORKSPACE);
        }
        for (var inversion : problem.inversions()) {
            if (WorkspaceOp.isIn(inversion.node()))
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
