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
 * Keeps nothing: the backward half of each region computes all it reads again, from the parameters
 * on. The least that can be kept, not the least memory: {@link Fit} goes lower, and costs less.
 */
public record RecomputeAll() implements Strategy {

    @Override
    public Set<Value> keeps(Problem problem, Cost cost) {
        return Set.of();
    }

    /** A loop's first state alone. */
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
