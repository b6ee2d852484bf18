package dev.ebb.cli.report;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * The figures of a plan, as {@code ebb plan} prints them and writes them as JSON.
 *
 * @param ownBytes what the device's workers own of the promised bytes
 * @param scheduleDigest what is done, in one word; empty where nobody asks for it
 * @param leastBytes the least budget; empty where it is not known yet
 * @param storeAllCost the cost of computing everything once
 * @param recomputed how many computations are made again
 * @param diskBytes what lies beside the arena at most
 */
public record PlanFigures(
        long budgetBytes,
        long promisedBytes,
        int workers,
        long ownBytes,
        String scheduleDigest,
        long storeAllBytes,
        OptionalLong leastBytes,
        double cost,
        double storeAllCost,
        double lowerBound,
        double gap,
        double recomputeShare,
        long steps,
        long recomputed,
        long diskBytes) {

    public static PlanFigures of(Planned p, OptionalLong leastBytes, String scheduleDigest) {
        var schedule = p.plan().schedule();
        return new PlanFigures(
                p.budgetBytes(),
                p.promisedBytes(),
                p.workers(),
                p.ownBytes(),
                scheduleDigest,
                p.storeAllBytes(),
                leastBytes,
                p.plan().cost(),
                p.plan().curve().storeAllCost(),
                p.plan().lowerBound(),
                p.plan().gap(),
                p.recomputeShare(),
                schedule.steps().size(),
                schedule.footprint().recomputed(),
                p.diskBytes());
    }

    /** For people: a name and a text for each line; the least budget only where it is known. */
    public SequencedMap<String, String> lines() {
        var lines = new LinkedHashMap<String, String>();
        lines.put("budget", BudgetText.show(budgetBytes));
        lines.put("promised", BudgetText.show(promisedBytes));
        lines.put("workers", workers + ", which own " + BudgetText.show(ownBytes) + " of it");
        lines.put("store all", BudgetText.show(storeAllBytes));
        leastBytes.ifPresent(least -> lines.put("least budget", BudgetText.show(least)));
        var time = String.format(Locale.ROOT, "%.4f", cost / storeAllCost);
        lines.put("time", time + " of computing everything once");
        lines.put("gap", String.format(Locale.ROOT, "at most %.2f %%", 100 * gap));
        lines.put("steps", steps + ", " + recomputed + " computations again");
        if (diskBytes > 0) lines.put("on the disk", BudgetText.show(diskBytes));
        return lines;
    }

    /** For programs. */
    public Json json() {
        var members = new LinkedHashMap<String, Json>();
        members.put("budget_bytes", Json.of(budgetBytes));
        members.put("promised_peak_bytes", Json.of(promisedBytes));
        members.put("workers", Json.of(workers));
        members.put("worker_bytes", Json.of(ownBytes));
        members.put("schedule_digest", Json.of(scheduleDigest));
        members.put("store_all_peak_bytes", Json.of(storeAllBytes));
        leastBytes.ifPresent(least -> members.put("least_budget_bytes", Json.of(least)));
        members.put("cost", Json.of(cost));
        members.put("store_all_cost", Json.of(storeAllCost));
        members.put("lower_bound", Json.of(lowerBound));
        members.put("gap", Json.of(gap));
        members.put("recompute_share", Json.of(recomputeShare));
        members.put("steps", Json.of(steps));
        members.put("recomputed", Json.of(recomputed));
        members.put("disk_promised_peak_bytes", Json.of(diskBytes));
        return Json.of(members);
    }

    /** What {@link #json} wrote; empty where a figure is missing. */
    static Optional<PlanFigures> read(byte[] text) {
        try {
            var json = Json.parse(new String(text, StandardCharsets.UTF_8));
            var read = new Members(json);
            return Optional.of(
                    new PlanFigures(
                            read.whole("budget_bytes"),
                            read.whole("promised_peak_bytes"),
                            Math.toIntExact(read.whole("workers")),
                            read.whole("worker_bytes"),
                            json.at("schedule_digest").flatMap(Json::text).orElseThrow(),
                            read.whole("store_all_peak_bytes"),
                            OptionalLong.of(read.whole("least_budget_bytes")),
                            read.number("cost"),
                            read.number("store_all_cost"),
                            read.number("lower_bound"),
                            read.number("gap"),
                            read.number("recompute_share"),
                            read.whole("steps"),
                            read.whole("recomputed"),
                            read.whole("disk_promised_peak_bytes")));
        } catch (FileFormatException | NoSuchElementException e) {
            return Optional.empty();
        }
    }

    private record Members(Json json) {
        long whole(String name) {
            return json.at(name).flatMap(Json::whole).orElseThrow();
        }

        double number(String name) {
            return json.at(name).flatMap(Json::number).orElseThrow();
        }
    }
}
