package dev.ebb.plan;

/**
 * A strategy: decides what is kept, what is computed again, and when. Equal inputs give equal
 * plans.
 */
@FunctionalInterface
public interface Planner {
    Schedule plan(Problem problem, Cost cost);

    /**
     * How many states of a loop of so many rounds are kept for its reverse, the first included; all
     * of them, with what the reverse of each round reads, unless a strategy has another idea.
     */
    default int states(int rounds) {
        return Math.max(1, rounds);
    }

    /** The plan with all that can be said of it. */
    default Plan decide(Problem problem, Cost cost) {
        return new Curve(problem, cost).plan(plan(problem, cost));
    }
}
