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
 * A planner that selects which values of the forward half are kept until the backward half reads
 * them. The others are recomputed when they are first needed there, and then kept until their last
 * use.
 */
public interface Strategy extends Planner {

    /** The values to keep. Outputs of effects and nondeterministic nodes are kept in any case. */
    Set<Value> keeps(Problem problem, Cost cost);

    @Override
    default Schedule plan(Problem problem, Cost cost) {
        var model = new SearchModel(problem, cost);
        var ordering = new Ordering(model);
        return ScheduleWriter.of(model, new Replay(model, ordering).keeping(keeps(problem, cost)));
    }
}
