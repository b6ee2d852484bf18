package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.Loops;
import dev.ebb.pass.Simplify;
import dev.ebb.plan.Binding;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Cost;
import dev.ebb.plan.Fit;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Problem;
import dev.ebb.plan.Roofline;
import dev.ebb.plan.Settle;

import java.util.List;
import java.util.Optional;

/**
 * The line from a traced graph to a plan that can run.
 *
 * @param budget what the program may own, the device's own memory included
 * @param strategy how to plan, if not by the budget
 * @param fusing whether ops are merged into as few kernels as pay
 * @param loopSlots at most this many carries of a loop are kept for its reverse
 */
record Pipeline(
        Budget budget,
        Optional<Planner> strategy,
        Cost cost,
        Device device,
        int loopSlots,
        boolean fusing) {

    /** A loop of unknown length keeps this many states unless told otherwise. */
    private static final int UNKNOWN_SLOTS = 32;

    static Pipeline within(Budget budget) {
        return new Pipeline(
                budget,
                Optional.empty(),
                Roofline.typical(),
                Devices.best(),
                Integer.MAX_VALUE,
                true);
    }

    Pipeline on(Device other) {
        return new Pipeline(budget, strategy, cost, other, loopSlots, fusing);
    }

    Pipeline with(Planner planner) {
        return new Pipeline(budget, Optional.of(planner), cost, device, loopSlots, fusing);
    }

    Pipeline costing(Cost other) {
        return new Pipeline(budget, strategy, other, device, loopSlots, fusing);
    }

    Pipeline keeping(int slots) {
        return new Pipeline(budget, strategy, cost, device, slots, fusing);
    }

    Pipeline unfused() {
        return new Pipeline(budget, strategy, cost, device, loopSlots, false);
    }

    /**
     * The best plan for {@code traced}. Loops keep all their states if that fits, else as many as
     * do.
     */
    Plan plan(Graph traced, List<Binding> bindings) {
        var fused = lowered(traced);
        int longest = Loops.longest(fused);
        if (loopSlots < longest) return planned(Loops.checkpoint(fused, loopSlots), bindings);
        try {
            return planned(fused, bindings);
        } catch (OverBudgetException e) {
            if (longest == 0) throw e;
            return fewerStates(fused, bindings, longest);
        }
    }

    private Plan fewerStates(Graph fused, List<Binding> bindings, int longest) {
        var best = planned(Loops.checkpoint(fused, 1), bindings);
        for (int low = 2, high = longest - 1; low <= high; ) {
            int slots = (low + high) >>> 1;
            try {
                best = planned(Loops.checkpoint(fused, slots), bindings);
                low = slots + 1;
            } catch (OverBudgetException e) {
                high = slots - 1;
            }
        }
        return best;
    }

    private Graph lowered(Graph traced) {
        var simple = Simplify.of(traced);
        var fused = Loops.merge(fusing ? Fuse.of(simple) : Fuse.unfused(simple));
        return Loops.checkpointUnknown(fused, Math.min(loopSlots, UNKNOWN_SLOTS));
    }

    private Plan planned(Graph graph, List<Binding> bindings) {
        var problem = Settle.of(new Problem(Scratch.add(graph, device), bindings));
        long reserved = device.fixedBytes();
        Planner planner = strategy.orElse(new Fit(budget));
        var done = Flight.recorder().planning(planner.toString());
        var plan = planner.decide(problem, cost, reserved);
        done.accept(plan);
        return strategy.isPresent() ? bounded(plan, planner) : plan;
    }

    /** A strategy of the user's choice is held to the budget too. */
    private Plan bounded(Plan plan, Planner chosen) {
        long bytes = budget.resolve(plan.storeAllBytes());
        if (plan.peakBytes() <= bytes) return plan;
        throw new OverBudgetException(
                chosen
                        + " takes "
                        + Budget.show(plan.peakBytes())
                        + ", the budget is "
                        + Budget.show(bytes)
                        + "; give it as much, keep less, or leave the strategy out and the plan"
                        + " will be fitted to the budget",
                plan.peakBytes());
    }
}
