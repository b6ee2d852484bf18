package dev.ebb.cli;

import dev.ebb.cli.report.CurveTable;
import dev.ebb.cli.report.Fates;
import dev.ebb.cli.report.Outcome;
import dev.ebb.cli.report.Planned;
import dev.ebb.exec.Category;
import dev.ebb.exec.Report;
import dev.ebb.exec.program.MemoryProfile;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.schedule.Step;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** A run as one web page that needs nothing but itself. */
final class HtmlReport {
    private static final int VALUES = 200;

    private HtmlReport() {}

    /**
     * The page of a run.
     *
     * @param names what the first parameters are called
     * @param held the bytes held at each computation and transfer, as counted
     */
    static String of(Outcome outcome, Planned plan, List<String> names, long[] held, double unigram)
            throws IOException {
        var all = json(outcome, plan, unigram);
        all.put("tide", tide(plan, held));
        all.put("values", values(plan, names));
        all.put("kernels", kernels(outcome.kernels()));
        all.put("memory", Json.of(outcome.categories().stream().map(HtmlReport::peak).toList()));
        return page(Json.of(all));
    }

    /** The page around its data. */
    static String page(Json data) throws IOException {
        return resource("report.html")
                .replace("/*{{uplot.css}}*/", resource("uPlot.min.css"))
                .replace("/*{{uplot.js}}*/", resource("uPlot.iife.min.js"))
                .replace("{{data}}", data.toString());
    }

    private static String resource(String name) throws IOException {
        try (var in = HtmlReport.class.getResourceAsStream("report/" + name)) {
            if (in == null) throw new FileNotFoundException("the resource report/" + name);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Map<String, Json> json(Outcome o, Planned plan, double unigram) {
        var all = new LinkedHashMap<String, Json>();
        all.put("budget", Json.of(o.budgetBytes()));
        all.put("showBudget", Json.of(o.budgetBytes() < 4 * o.storeAllBytes()));
        all.put("promised", Json.of(o.promisedBytes()));
        o.measuredBytes().ifPresent(bytes -> all.put("measured", Json.of(bytes)));
        all.put("storeAll", Json.of(o.storeAllBytes()));
        all.put("recomputeShare", Json.of(o.recomputeShare()));
        all.put("diskRoom", Json.of(o.disk().roomBytes()));
        all.put("diskPromised", Json.of(o.disk().promisedBytes()));
        o.disk().measuredBytes().ifPresent(bytes -> all.put("diskMeasured", Json.of(bytes)));
        all.put("stepMs", Json.of(o.medianSeconds() * 1000));
        all.put("tokensPerSecond", Json.of(o.tokensPerSecond()));
        all.put("parameters", Json.of(o.parameters()));
        all.put("unigram", Json.of(unigram));
        all.put("loss", Json.of(o.losses().stream().map(Json::of).toList()));
        all.put("lines", CurveTable.pairs(plan.curve().lines()));
        all.put("here", CurveTable.pair(plan.promisedBytes(), plan.plan().cost()));
        return all;
    }

    private static Json values(Planned plan, List<String> names) {
        var fates = Fates.of(plan.layout().schedule(), names, VALUES);
        return Json.of(fates.stream().map(HtmlReport::fate).toList());
    }

    /** The steps that compute or move something; freeing is seen in the next one. */
    private static Json tide(Planned plan, long[] held) {
        var steps = plan.layout().schedule().steps();
        var shown =
                IntStream.range(0, steps.size())
                        .filter(i -> !(steps.get(i) instanceof Step.Free))
                        .toArray();
        var tide = MemoryProfile.of(plan.layout());
        var rows = new LinkedHashMap<String, Json>();
        for (var category : Category.values()) {
            // the device's own memory is workspace that never goes
            long own = category == Category.WORKSPACE ? plan.ownBytes() : 0;
            if (tide.peak(category) + own == 0) continue;
            var bytes = tide.bytes(category);
            rows.put(
                    category.name().toLowerCase(Locale.ROOT),
                    Json.of(Arrays.stream(shown).mapToObj(i -> Json.of(bytes[i] + own)).toList()));
        }
        var all = new LinkedHashMap<String, Json>();
        all.put("categories", Json.of(rows.keySet().stream().map(Json::of).toList()));
        all.put("bytes", Json.of(List.copyOf(rows.values())));
        all.put(
                "held",
                Json.of(
                        Arrays.stream(held)
                                .mapToObj(bytes -> Json.of(bytes + plan.ownBytes()))
                                .toList()));
        all.put(
                "steps",
                Json.of(Arrays.stream(shown).mapToObj(i -> Json.of(tide.steps().get(i))).toList()));
        return Json.of(all);
    }

    private static Json peak(Report.Peak peak) {
        var row = new LinkedHashMap<String, Json>();
        row.put("category", Json.of(peak.category().name().toLowerCase(Locale.ROOT)));
        row.put("promised", Json.of(peak.promisedBytes()));
        row.put("measured", Json.of(peak.measuredBytes()));
        return Json.of(row);
    }

    private static Json fate(Fates.Fate f) {
        var row = new LinkedHashMap<String, Json>();
        row.put("name", Json.of(f.name()));
        row.put("type", Json.of(f.type()));
        row.put("bytes", Json.of(f.bytes()));
        row.put("where", Json.of(f.where()));
        row.put("fate", Json.of(f.what()));
        row.put("why", Json.of(f.why()));
        return Json.of(row);
    }

    private static Json kernels(List<Report.KernelTime> times) {
        double all = times.stream().mapToDouble(Report.KernelTime::seconds).sum();
        var rows =
                times.stream()
                        .map(
                                k -> {
                                    var row = new LinkedHashMap<String, Json>();
                                    row.put("op", Json.of(k.op()));
                                    row.put("calls", Json.of(k.calls()));
                                    row.put("ms", Json.of(k.seconds() * 1000));
                                    row.put("share", Json.of(all == 0 ? 0 : k.seconds() / all));
                                    return Json.of(row);
                                })
                        .toList();
        return Json.of(rows);
    }
}
