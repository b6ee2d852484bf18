package dev.ebb.plan;

/**
 * A strategy: decides what is kept, what is computed again, and when. Equal inputs give equal
 * plans.
 */
@FunctionalInterface
public interface Planner {
    Schedule plan(Problem problem, Cost cost);

    /** The plan with all that can be said of it. */
    default Plan decide(Problem problem, Cost cost) {
        return new Curve(problem, cost).plan(plan(problem, cost));
    }
}
