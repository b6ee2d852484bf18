package dev.ebb.cli.report;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.option.JsonRecord;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * The figures of a plan, as {@code ebb plan} prints them and writes them as JSON.
 *
 * @param workerBytes the part of the promised bytes that is memory of the device's workers
 * @param scheduleDigest identifies the schedule; empty if it was not requested
 * @param leastBudgetBytes the smallest budget that works; empty if it is not known yet
 * @param kneeBudgetBytes the budget beyond which more memory saves little time; known whenever the
 *     smallest budget is
 * @param storeAllCost the predicted time if everything is computed once
 * @param recomputed the number of computations that are repeated
 * @param diskPromisedPeakBytes the promised peak on the disk
 */
public record PlanFigures(
        long budgetBytes,
        long promisedPeakBytes,
        int workers,
        long workerBytes,
        String scheduleDigest,
        long storeAllPeakBytes,
        OptionalLong leastBudgetBytes,
        OptionalLong kneeBudgetBytes,
        double cost,
        double storeAllCost,
        double lowerBound,
        double gap,
        double recomputeShare,
        long steps,
        long recomputed,
        long diskPromisedPeakBytes) {

    public static PlanFigures of(PlanInBudget p, OptionalLong leastBytes, String scheduleDigest) {
        var schedule = p.plan().schedule();
        return new PlanFigures(
                p.budgetBytes(),
                p.promisedBytes(),
                p.workers(),
                p.ownBytes(),
                scheduleDigest,
                p.storeAllBytes(),
                leastBytes,
                leastBytes.isPresent()
                        ? OptionalLong.of(p.plan().knee().bytes())
                        : OptionalLong.empty(),
                p.plan().cost(),
                p.plan().storeAllCost(),
                p.plan().lowerBound(),
                p.plan().gap(),
                p.recomputeShare(),
                schedule.steps().size(),
                schedule.footprint().recomputed(),
                p.diskBytes());
    }

    /**
     * A name and a text for each line of the printed output; the smallest budget only if it is
     * known.
     */
    public SequencedMap<String, String> lines() {
        var lines = new LinkedHashMap<String, String>();
        lines.put("budget", BudgetText.show(budgetBytes));
        lines.put("promised", BudgetText.show(promisedPeakBytes));
        lines.put("workers", workers + ", using " + BudgetText.show(workerBytes) + " of it");
        lines.put("store all", BudgetText.show(storeAllPeakBytes));
        leastBudgetBytes.ifPresent(
                least -> lines.put("least budget", BudgetText.show(least) + knee(least)));
        var time = String.format(Locale.ROOT, "%.4f", cost / storeAllCost);
        lines.put("time", time + " x computing everything once");
        lines.put("gap", String.format(Locale.ROOT, "at most %.2f %%", 100 * gap));
        lines.put("steps", steps + ", " + recomputed + " recomputations");
        if (diskPromisedPeakBytes > 0)
            lines.put("on the disk", BudgetText.show(diskPromisedPeakBytes));
        return lines;
    }

    private String knee(long least) {
        return kneeBudgetBytes.isPresent() && kneeBudgetBytes.getAsLong() > least
                ? "; more than "
                        + BudgetText.show(kneeBudgetBytes.getAsLong())
                        + " saves little time"
                : "";
    }

    /** The figures as JSON, for other programs. */
    public Json json() {
        return JsonRecord.write(this);
    }

    /** Parses the output of {@link #json}; empty if a figure is missing. */
    static Optional<PlanFigures> read(byte[] text) {
        try {
            var json = Json.parse(new String(text, StandardCharsets.UTF_8));
            return Optional.of(JsonRecord.read(PlanFigures.class, json))
                    .filter(figures -> figures.leastBudgetBytes.isPresent());
        } catch (FileFormatException _) {
            return Optional.empty();
        }
    }
}
