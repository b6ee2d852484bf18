package dev.ebb.plan;

import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;

/**
 * A strategy: decides which values are kept and which are recomputed, and when. Equal inputs give
 * equal plans.
 */
@FunctionalInterface
public interface Planner {
    Schedule plan(Problem problem, Cost cost);

    /**
     * As {@link #plan}, for the body of a loop or branch, or for an iteration of a loop and its
     * reverse. The only way to restore values is to recompute them.
     */
    default Schedule planBody(Problem problem, Cost cost) {
        return plan(problem, cost);
    }

    /**
     * The number of states, including the first, that a loop of {@code iterations} iterations keeps
     * for its reverse. Unless overridden, all states are kept, with the values that the reverse of
     * each iteration reads.
     */
    default int states(int iterations) {
        return Math.max(1, iterations);
    }

    /**
     * The number of further states of such a loop that are kept in the last place that the budget
     * names; none by default.
     */
    default int offloaded(int iterations) {
        return 0;
    }

    /** The complete plan, on a device that uses no memory outside the arena. */
    default Plan decide(Problem problem, Cost cost) {
        return decide(problem, cost, WorkerMemory.NONE);
    }

    /**
     * The complete plan; every promise includes the memory that the device's workers use outside
     * the arena.
     */
    default Plan decide(Problem problem, Cost cost, WorkerMemory workers) {
        return new Curve(problem, cost, Curve.Measure.ARENA, workers).plan(plan(problem, cost));
    }
}
