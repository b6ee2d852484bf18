package dev.ebb.cli;

import dev.ebb.Tensorwise;
import dev.ebb.exec.Report;
import dev.ebb.exec.Tide;
import dev.ebb.nn.file.Durable;
import dev.ebb.nn.file.Json;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A run as one web page that needs nothing but itself. */
final class HtmlReport {
    private static final int VALUES = 200;

    private HtmlReport() {}

    static void write(Path file, Outcome outcome, Trainer trainer, Planned plan, double unigram)
            throws IOException {
        var state = trainer.checkpoint("").state();
        var tide = Tide.of(plan.layout());
        var all = json(outcome, plan, unigram);
        all.put("tide", tide(tide));
        all.put("values", values(plan, Tensorwise.names(state)));
        all.put("kernels", kernels(outcome.kernels()));
        all.put("memory", Json.of(outcome.categories().stream().map(HtmlReport::peak).toList()));
        var page = page(Json.of(all));
        Durable.write(file, out -> out.write(page.getBytes(StandardCharsets.UTF_8)));
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
        all.put("measured", Json.of(o.measuredBytes()));
        all.put("storeAll", Json.of(o.storeAllBytes()));
        all.put("recomputeShare", Json.of(o.recomputeShare()));
        all.put("stepMs", Json.of(o.medianSeconds() * 1000));
        all.put("tokensPerSecond", Json.of(o.tokensPerSecond()));
        all.put("parameters", Json.of(o.parameters()));
        all.put("unigram", Json.of(unigram));
        all.put("loss", Json.of(o.losses().stream().map(Json::of).toList()));
        var curve = plan.curve();
        all.put("curve", Json.of(curve.stream().map(HtmlReport::corner).toList()));
        all.put("here", corner(plan.here()));
        return all;
    }

    private static Json values(Planned plan, List<String> names) {
        var fates = Fates.of(plan.layout().schedule(), names, VALUES);
        return Json.of(fates.stream().map(HtmlReport::fate).toList());
    }

    private static Json corner(Planned.Corner c) {
        return Json.of(List.of(Json.of(c.bytes()), Json.of(c.cost())));
    }

    private static Json tide(Tide tide) {
        var kinds = tide.categories();
        var rows =
                kinds.stream()
                        .map(k -> Json.of(Arrays.stream(tide.bytes(k)).mapToObj(Json::of).toList()))
                        .toList();
        var names = kinds.stream().map(k -> Json.of(k.name().toLowerCase(Locale.ROOT))).toList();
        return Json.of(
                Map.of(
                        "categories",
                        Json.of(names),
                        "bytes",
                        Json.of(rows),
                        "steps",
                        Json.of(tide.steps().stream().map(Json::of).toList())));
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
