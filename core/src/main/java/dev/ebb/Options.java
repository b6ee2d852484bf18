package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.loop.ProgramPlanner;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Planner;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Ways;

/**
 * The settings by which a function is planned and run (budget, device, strategy, cost model), the
 * same for functions of one, two and three arguments and for steps. Each method returns the same
 * function with one setting changed and leaves this one as it is.
 *
 * @param <T> the type that each method returns
 */
public abstract sealed class Options<T> permits Compiled, Compiled2, Compiled3, Stepping {
    private final ProgramPlanner planner;

    Options(ProgramPlanner planner) {
        this.planner = planner;
    }

    ProgramPlanner planner() {
        return planner;
    }

    /** This function with other options. */
    abstract T under(ProgramPlanner other);

    /** This function with a memory budget; without one, memory is not limited. */
    public T within(Budget budget) {
        return under(planner.within(budget));
    }

    /**
     * This function on another device, planned with that device's costs; set another cost after it.
     * The default is the fastest device available.
     */
    public T on(Device device) {
        return under(planner.on(device));
    }

    /** This function planned with another cost model. */
    public T costing(Cost cost) {
        return under(planner.costing(cost));
    }

    /**
     * This function with another strategy. {@code new Binomial(slots)} also sets how many states of
     * each loop are kept for its backward half.
     */
    public T with(Planner strategy) {
        return under(planner.with(strategy));
    }

    /**
     * This function planned with only these ways of restoring values: for example as if ops had no
     * inverses, or the budget named no place.
     */
    public T only(Ways ways) {
        return under(planner.only(ways));
    }

    /**
     * This function with a cache of plan searches. Without one, only the results of functions
     * derived from the same one are reused. A cache never changes a plan, only the time to make it.
     */
    public T caching(PlanCache cache) {
        return under(planner.caching(cache));
    }

    /** This function with each op as its own kernel: slower, with the same bits; for debugging. */
    public T unfused() {
        return under(planner.unfused());
    }
}
