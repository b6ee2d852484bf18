package dev.ebb.plan;

import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;

/**
 * The default strategy: the plan with the least predicted time whose promised peak fits the budget.
 * If there is none, an {@link OverBudgetException} names the smallest budget that works.
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
