package dev.ebb.cli;

import dev.ebb.exec.Device;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Layout;
import dev.ebb.plan.StoreAll;

import java.util.List;

/** A program's plan, beside what it is measured against. */
record Planned(Layout layout, long budgetBytes, long fixedBytes, Layout storeAll) {

    /** With this much memory, that much time. */
    record Corner(long bytes, double cost) {}

    static Planned of(Layout layout, Budget budget, Device device) {
        var all = Layout.of(new StoreAll().plan(layout.schedule().problem(), _ -> 1));
        long fixed = device.fixedBytes();
        return new Planned(layout, budget.resolve(all.arenaBytes() + fixed), fixed, all);
    }

    long promisedBytes() {
        return layout.arenaBytes() + fixedBytes;
    }

    long storeAllBytes() {
        return storeAll.arenaBytes() + fixedBytes;
    }

    /** The share of computations that repeat an earlier one. */
    double recomputeShare() {
        var footprint = layout.schedule().footprint();
        int all = footprint.computed() + footprint.recomputed();
        return all == 0 ? 0 : (double) footprint.recomputed() / all;
    }

    /** What memory buys, cheapest in time first. */
    List<Corner> curve() {
        return List.of(new Corner(storeAllBytes(), 1));
    }

    /** Where this plan lies on that curve. */
    Corner here() {
        var footprint = layout.schedule().footprint();
        double all = footprint.computed() + footprint.recomputed();
        return new Corner(promisedBytes(), all / Math.max(1, footprint.computed()));
    }
}
