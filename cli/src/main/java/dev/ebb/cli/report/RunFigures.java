package dev.ebb.cli.report;

import dev.ebb.exec.Report;
import dev.ebb.nn.file.Json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalLong;

/**
 * The figures of a finished run, as {@code --json} writes them. Measured figures are missing if no
 * step was made.
 *
 * @param scheduleDigest identifies the schedule of a step; the same as {@code ebb plan} prints
 */
public record RunFigures(
        List<Double> losses,
        double tokensPerSecond,
        double medianSeconds,
        long budgetBytes,
        long promisedBytes,
        OptionalLong measuredBytes,
        long storeAllBytes,
        long leastBytes,
        String scheduleDigest,
        double recomputeShare,
        Disk disk,
        List<Report.Peak> categories,
        List<Report.KernelTime> kernels,
        long parameters,
        String digest) {

    /** The use of the disk: its limit, the promised peak and the measured peak. */
    public record Disk(long roomBytes, long promisedBytes, OptionalLong measuredBytes) {}

    public RunFigures {
        losses = List.copyOf(losses);
        categories = List.copyOf(categories);
        kernels = List.copyOf(kernels);
    }

    public Json json() {
        var members = new LinkedHashMap<String, Json>();
        members.put("steps", Json.of(losses.size()));
        members.put("loss", Json.of(losses.stream().map(Json::of).toList()));
        members.put("tokens_per_second", Json.of(tokensPerSecond));
        members.put("step_ms_median", Json.of(medianSeconds * 1000));
        members.put("budget_bytes", Json.of(budgetBytes));
        members.put("promised_peak_bytes", Json.of(promisedBytes));
        measuredBytes.ifPresent(bytes -> members.put("measured_peak_bytes", Json.of(bytes)));
        members.put("store_all_peak_bytes", Json.of(storeAllBytes));
        members.put("least_budget_bytes", Json.of(leastBytes));
        members.put("schedule_digest", Json.of(scheduleDigest));
        members.put("recompute_share", Json.of(recomputeShare));
        members.put("disk_room_bytes", Json.of(disk.roomBytes));
        members.put("disk_promised_peak_bytes", Json.of(disk.promisedBytes));
        disk.measuredBytes.ifPresent(
                bytes -> members.put("disk_measured_peak_bytes", Json.of(bytes)));
        ResidentMemory.peakBytes()
                .ifPresent(bytes -> members.put("resident_peak_bytes", Json.of(bytes)));
        members.put("parameters", Json.of(parameters));
        members.put("weights_digest", Json.of(digest));
        return Json.of(members);
    }

    public static double median(List<Double> values) {
        if (values.isEmpty()) return 0;
        var sorted = values.stream().sorted().toList();
        int n = sorted.size();
        return (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
    }
}
