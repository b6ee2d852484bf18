package dev.ebb.plan;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;

import java.util.HashSet;
import java.util.Set;

/** Computes every node once, in the graph's order, and frees each value after its last use. */
public record StoreAll() implements Strategy {

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        var all = new HashSet<Value>();
        for (var node : problem.graph().nodes()) all.addAll(node.outputs());
        return all;
    }
}
