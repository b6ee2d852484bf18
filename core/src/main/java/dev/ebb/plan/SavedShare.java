package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps at most a given share of the bytes that an eager framework would save between its forward
 * and backward pass, choosing the values that are most expensive to recompute per byte. Implements
 * {@link Budget#ofSaved}.
 */
public record SavedShare(double share) implements Strategy {

    public SavedShare {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException(
                    "a share of the saved activations lies in [0, 1], not " + share);
        }
    }

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        return new Bytes((long) (bytes(problem) * share * (1 + 1e-12))).keeps(problem, cost);
    }

    /**
     * The bytes that an eager framework would save: the values that the forward half computes and
     * the backward half reads.
     */
    public static long bytes(Problem problem) {
        long sum = 0;
        for (var c : candidates(problem, _ -> 0)) sum = Math.addExact(sum, c.bytes());
        return sum;
    }

    private static List<Policy.Candidate> candidates(Problem problem, Cost cost) {
        var read = problem.crossing();
        var found = new ArrayList<Policy.Candidate>();
        for (Node node : problem.graph().nodes()) {
            for (Value v : node.outputs())
                if (read.contains(v))
                    found.add(new Policy.Candidate(v, node, problem.bytes(v), cost.of(node)));
        }
        return found;
    }

    /** The same rule with a number of bytes instead of a share. */
    public record Bytes(long most) implements Strategy {
        @Override
        public Set<Value> keeps(Problem problem, Cost cost) {
            var candidates = candidates(problem, cost);
            candidates.sort(
                    Comparator.comparingDouble(
                            (Policy.Candidate c) -> -c.cost() / Math.max(1, c.bytes())));
            var kept = new LinkedHashSet<Value>();
            long left = most;
            for (var c : candidates) {
                if (c.bytes() > left) continue;
                left -= c.bytes();
                kept.add(c.value());
            }
            return kept;
        }
    }
}
