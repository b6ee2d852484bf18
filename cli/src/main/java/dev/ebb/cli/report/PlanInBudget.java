package dev.ebb.cli.report;

import dev.ebb.ir.math.Sha256;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Layout;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * A plan and the budget for which it was made; its promised bytes include the memory of the
 * device's workers.
 */
public record PlanInBudget(Plan plan, long budgetBytes) {

    public static PlanInBudget of(Plan plan, Budget budget) {
        return new PlanInBudget(plan, budget.resolve(plan.storeAllBytes()));
    }

    public Layout layout() {
        return plan.layout();
    }

    public long promisedBytes() {
        return plan.peakBytes();
    }

    /** The bytes that the device owns outside the arena. */
    public long ownBytes() {
        return plan.workerBytes();
    }

    /** The number of workers that share the kernels. */
    public int workers() {
        return plan.workers();
    }

    /** A digest of the schedule's steps; equal plans have equal digests on every machine. */
    public String scheduleDigest() {
        var digest = Sha256.start();
        for (var step : plan.schedule().steps())
            digest.update(step.toString().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }

    /** The promised peak on the disk. */
    public long diskBytes() {
        return plan.layout().offloadedBytes();
    }

    public long storeAllBytes() {
        return plan.storeAllBytes();
    }

    public long leastBytes() {
        return plan.leastBytes();
    }

    /** The share of the predicted time that is spent on recomputation. */
    public double recomputeShare() {
        double cost = plan.cost();
        return cost == 0 ? 0 : Math.max(0, 1 - plan.storeAllCost() / cost);
    }
}
