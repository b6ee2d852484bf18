package dev.ebb;

import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

/**
 * The plans of one training step at any budget. The step is traced once, and a search for another
 * budget continues from earlier results: for tools that show many plans of the same step, such as a
 * budget slider. A plan does not depend on what was asked for before it.
 */
public final class StepPlans {
    private final StepTrace<?, ?> trace;
    private final ProgramPlanner planner;

    StepPlans(StepTrace<?, ?> trace, ProgramPlanner planner) {
        this.trace = trace;
        this.planner = planner;
    }

    /**
     * The plan that {@link Stepping#plan} returns within {@code budget} and the places it names.
     */
    public Plan within(Budget budget) {
        return trace.plan(planner.within(budget));
    }

    /** The curve that {@link Stepping#curve} returns with the places of {@code budget}. */
    public TradeOff curve(Budget budget) {
        return trace.tradeOff(planner.within(budget));
    }
}
