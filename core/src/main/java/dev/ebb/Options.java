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

    /** The same under other options. */
    abstract T under(ProgramPlanner other);

    /** The same, never owning more than {@code budget}; nothing bounds it otherwise. */
    public T within(Budget budget) {
        return under(planner.within(budget));
    }

    /**
     * The same on another device, planned by that device's own costs: another cost is asked for
     * after it. Without, the fastest device there is.
     */
    public T on(Device device) {
        return under(planner.on(device));
    }

    /** The same planned under another model of what kernels cost. */
    public T costing(Cost cost) {
        return under(planner.costing(cost));
    }

    /**
     * The same under another strategy. {@code new Binomial(slots)} also says how many states of
     * each loop are kept for its backward half.
     */
    public T with(Planner strategy) {
        return under(planner.with(strategy));
    }

    /**
     * The same with values that come back by these ways alone: as if ops had no inverses, or the
     * budget named no place.
     */
    public T only(Ways ways) {
        return under(planner.only(ways));
    }

    /**
     * The same, where plans of this program may be known from before. Without, only what was
     * searched for by the functions that this one was made from is known. A cache never changes a
     * plan, only how long it takes to make.
     */
    public T caching(PlanCache cache) {
        return under(planner.caching(cache));
    }

    /** The same with each op as its own kernel: slower, with the same bits; for finding faults. */
    public T unfused() {
        return under(planner.unfused());
    }
}
