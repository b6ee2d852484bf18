package dev.ebb.cli;

import dev.ebb.plan.Budget;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

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
        return plan.workerBytes();
    }

    /** How many workers share the kernels. */
    int workers() {
        return plan.workers();
    }

    /** What is done, in one word: equal plans have equal ones, on every machine. */
    String scheduleDigest() {
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
