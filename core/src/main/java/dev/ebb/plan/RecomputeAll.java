package dev.ebb.plan;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.search.Ordering;
import dev.ebb.plan.search.Replay;
import dev.ebb.plan.search.ScheduleWriter;
import dev.ebb.plan.search.SearchModel;

import java.util.Set;

/**
 * Keeps nothing: the backward half of each region recomputes all values that it reads, from the
 * parameters on. That is not the plan with the least memory: {@link Fit} finds smaller and cheaper
 * ones.
 */
public record RecomputeAll() implements Strategy {

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        return Set.of();
    }

    /** Keeps only the initial state of a loop. */
    @Override
    public int states(int iterations) {
        return 1;
    }

    @Override
    public Schedule plan(Problem problem, Cost cost) {
        var model = new SearchModel(problem, cost);
        return ScheduleWriter.of(
                model, new Replay(model, new Ordering(model)).keepingWithinRegions(Set.of()));
    }
}
