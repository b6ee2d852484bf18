package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Computes every node once, in the graph's order, and frees each value after its last use. */
public final class StoreAll implements Planner {

    public StoreAll() {}

    @Override
    public Schedule plan(Problem problem, Cost cost) {
        return inOrder(problem);
    }

    static Schedule inOrder(Problem problem) {
        var graph = problem.graph();
        Map<Value, Integer> lastUse = new HashMap<>();
        var nodes = graph.nodes();
        for (int i = 0; i < nodes.size(); i++)
            for (Value v : nodes.get(i).inputs()) lastUse.put(v, i);
        Set<Value> pinned = new HashSet<>(graph.results());
        for (int i = 0; i < graph.params().size(); i++) {
            if (problem.bindings().get(i) instanceof Binding.Kept)
                pinned.add(graph.params().get(i));
        }
        var steps = new ArrayList<Step>();
        for (Value p : graph.params())
            if (!pinned.contains(p) && !lastUse.containsKey(p)) steps.add(new Step.Free(p));
        for (int i = 0; i < nodes.size(); i++) {
            var node = nodes.get(i);
            int now = i;
            var dying =
                    node.inputs().stream()
                            .distinct()
                            .filter(v -> !pinned.contains(v) && lastUse.getOrDefault(v, -1) == now)
                            .toList();
            var reuses = reuses(node, dying);
            steps.add(new Step.Compute(node, reuses));
            var taken = reuses.stream().map(Step.Reuse::from).toList();
            for (Value v : dying) if (!taken.contains(v)) steps.add(new Step.Free(v));
            for (Value v : node.outputs()) {
                if (!lastUse.containsKey(v) && !pinned.contains(v)) steps.add(new Step.Free(v));
            }
        }
        return new Schedule(problem, steps);
    }

    /** Which outputs of {@code node} can be written over which of its dying inputs. */
    static List<Step.Reuse> reuses(Node node, List<Value> dying) {
        var reuses = new ArrayList<Step.Reuse>();
        var left = new ArrayList<>(dying);
        for (Value out : node.outputs()) {
            for (Value in : left) {
                if (Inplace.allowed(node, in, out)) {
                    reuses.add(new Step.Reuse(in, out));
                    left.remove(in);
                    break;
                }
            }
        }
        return reuses;
    }
}
