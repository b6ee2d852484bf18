package dev.ebb.cli;

import dev.ebb.plan.Budget;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

/** A program's plan, with the memory of its device counted in. */
record Planned(Plan plan, long budgetBytes) {

    static Planned of(Plan plan, Budget budget) {
        return new Planned(plan, budget.resolve(plan.storeAllBytes()));
    }

    Layout layout() {
        return plan.layout();
    }

    long promisedBytes() {
        return plan.peakBytes();
    }

    /** What the device owns besides the arena. */
    long ownBytes() {
        return plan.peakBytes() - plan.layout().arenaBytes();
    }

    /** What is to lie on the disk at most. */
    long diskBytes() {
        return plan.layout().shelves().bytes();
    }

    long storeAllBytes() {
        return plan.storeAllBytes();
    }

    long leastBytes() {
        return plan.leastBytes();
    }

    /** The share of the predicted time that goes into computing values again. */
    double recomputeShare() {
        double cost = plan.cost();
        return cost == 0 ? 0 : Math.max(0, 1 - plan.curve().storeAllCost() / cost);
    }

    /** What memory buys, and what each way of bringing values back adds. */
    TradeOff curve() {
        return TradeOff.of(plan.curve());
    }
}
