package dev.ebb.loop;

import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Place;

import java.util.List;

/** Checks the plan of a user's strategy against the budget and the capacity of its places. */
final class StrategyLimits {
    private StrategyLimits() {}

    /** {@code plan} with as many workers as {@code budget} allows; throws if it needs more. */
    static Plan hold(Plan plan, Planner chosen, Budget budget, List<Place> places) {
        long bytes = budget.resolve(plan.storeAllBytes());
        for (var there : plan.layout().places()) {
            if (there.bytes() > there.place().bytes())
                throw tooMuchBeside(
                        chosen,
                        plan,
                        there.bytes(),
                        " in "
                                + there.place().name()
                                + ", which has room for "
                                + Budget.show(there.place().bytes()));
        }
        long homeless = places.isEmpty() ? offloaded(plan) : 0;
        if (homeless > 0)
            throw tooMuchBeside(
                    chosen, plan, homeless, " outside the arena, and the budget names no place");
        var bounded = plan.within(bytes);
        if (bounded.peakBytes() <= bytes) return bounded;
        throw new OverBudgetException(
                ("%s takes %s, the budget is %s; raise the budget to that, keep less, or leave the"
                                + " strategy out, and the plan is fitted to the budget")
                        .formatted(chosen, Budget.show(bounded.peakBytes()), Budget.show(bytes)),
                bounded.peakBytes());
    }

    /** The bytes that loops offload. */
    private static long offloaded(Plan plan) {
        return plan.schedule().problem().graph().nodes().stream()
                .flatMap(node -> LoopStates.of(node).stream())
                .filter(LoopStates::forward)
                .mapToLong(LoopStates::bytes)
                .sum();
    }

    private static OverBudgetException tooMuchBeside(
            Planner chosen, Plan plan, long bytes, String where) {
        return new OverBudgetException(
                ("%s puts %s%s; name a place with as much room, such as Budget.with(Disk.in(folder,"
                                + " bytes)), or keep fewer states there")
                        .formatted(chosen, Budget.show(bytes), where),
                plan.peakBytes());
    }
}
