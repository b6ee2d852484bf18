package dev.ebb.cli.report;

import dev.ebb.plan.Budget;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Layout;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A program's plan, with the memory of its device counted in. */
public record Planned(Plan plan, long budgetBytes) {

    public static Planned of(Plan plan, Budget budget) {
        return new Planned(plan, budget.resolve(plan.storeAllBytes()));
    }

    public Layout layout() {
        return plan.layout();
    }

    public long promisedBytes() {
        return plan.peakBytes();
    }

    /** What the device owns besides the arena. */
    public long ownBytes() {
        return plan.workerBytes();
    }

    /** How many workers share the kernels. */
    public int workers() {
        return plan.workers();
    }

    /** What is done, in one word: equal plans have equal ones, on every machine. */
    public String scheduleDigest() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var step : plan.schedule().steps())
                digest.update(step.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** What is to lie on the disk at most. */
    public long diskBytes() {
        return plan.layout().offloadedBytes();
    }

    public long storeAllBytes() {
        return plan.storeAllBytes();
    }

    public long leastBytes() {
        return plan.leastBytes();
    }

    /** The share of the predicted time that goes into computing values again. */
    public double recomputeShare() {
        double cost = plan.cost();
        return cost == 0 ? 0 : Math.max(0, 1 - plan.storeAllCost() / cost);
    }
}
