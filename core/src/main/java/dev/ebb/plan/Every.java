package dev.ebb.plan;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;

import java.util.Set;

/**
 * Keeps the values that cross every {@code regions}-th boundary between regions, and recomputes
 * those in between.
 */
public record Every(int regions) implements Strategy {

    public Every {
        if (regions < 1)
            throw new IllegalArgumentException(
                    "every " + regions + "th region: it must be at least 1");
    }

    /** Keeps the state of every {@code regions}-th iteration of a loop. */
    @Override
    public int states(int iterations) {
        return Math.max(1, Math.ceilDiv(iterations, regions));
    }

    /** The unit of a loop is an iteration; it is divided only if it has regions of its own. */
    @Override
    public Schedule planBody(Problem problem, Cost cost) {
        return RegionStages.isDivided(problem.graph())
                ? plan(problem, cost)
                : new StoreAll().plan(problem, cost);
    }

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        return RegionStages.of(problem.graph()).crossing(problem.graph(), regions);
    }
}
