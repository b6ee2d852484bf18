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
     * As {@link #plan}, for the body of a loop or branch, or for a round of a loop and the reverse
     * of that round. It may compute again and nothing else.
     */
    default Schedule planBody(Problem problem, Cost cost) {
        return plan(problem, cost);
    }

    /**
     * How many states of a loop of {@code rounds} rounds are kept for its reverse, the first
     * included. Unless overridden, all of them, with what the reverse of each round reads.
     */
    default int states(int rounds) {
        return Math.max(1, rounds);
    }

    /**
     * How many further states of such a loop are kept in the last place that the budget names; by
     * default none.
     */
    default int offloaded(int rounds) {
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
