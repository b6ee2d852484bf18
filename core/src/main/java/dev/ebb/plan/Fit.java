package dev.ebb.plan;

import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;

/**
 * The default: the least predicted time whose promised peak fits the budget. What does not fit is
 * refused with an {@link OverBudgetException} that names the least budget that would.
 */
public record Fit(Budget budget) implements Planner {

    @Override
    public Schedule plan(Problem problem, Cost cost) {
        return decide(problem, cost).schedule();
    }

    @Override
    public Plan decide(Problem problem, Cost cost, WorkerMemory workers) {
        return new Curve(problem, cost, Curve.Measure.ARENA, workers).at(budget);
    }
}
