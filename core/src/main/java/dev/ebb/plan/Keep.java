package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Keeps the values that a policy selects, by name, kind, size or any other rule, and recomputes the
 * others.
 */
public record Keep(Policy policy) implements Strategy {

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        var kept = new LinkedHashSet<Value>();
        for (Node node : problem.graph().nodes()) {
            if (node.reverse()) continue;
            for (Value v : node.outputs()) {
                if (policy.keeps(new Policy.Candidate(v, node, problem.bytes(v), cost.of(node))))
                    kept.add(v);
            }
        }
        return kept;
    }
}
