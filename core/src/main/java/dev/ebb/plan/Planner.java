package dev.ebb.plan;

/**
 * A strategy: decides what is kept, what is computed again, and when. Equal inputs give equal
 * plans.
 */
@FunctionalInterface
public interface Planner {
    Schedule plan(Problem problem, Cost cost);
}
