package dev.ebb.cli;

import dev.ebb.cli.report.CurveTable;
import dev.ebb.cli.report.PlanInBudget;
import dev.ebb.cli.report.RunFigures;
import dev.ebb.cli.studio.Assets;
import dev.ebb.cli.studio.EmbeddedPlan;
import dev.ebb.exec.Report;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.TradeOff;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes the report of a run as one self-contained web page. */
final class HtmlReport {
    private static final List<String> MODULES =
            List.of("format.js", "ticks.js", "linechart.js", "memorychart.js", "curvechart.js");

    /** The model of the run, its command line, and the machine on which it ran. */
    record About(String model, String command, String machine) {}

    private HtmlReport() {}

    /**
     * The page of a run.
     *
     * @param names the names of the first parameters
     * @param held the measured bytes in use at each computation and transfer
     */
    static String of(
            RunFigures outcome,
            PlanInBudget plan,
            TradeOff tradeOff,
            About about,
            List<String> names,
            long[] held,
            double unigram)
            throws IOException {
        var all = json(outcome, plan, unigram);
        all.put("lines", CurveTable.pairs(tradeOff.lines()));
        all.put("name", Json.of(about.model));
        all.put("command", Json.of(about.command));
        all.put("machine", Json.of(about.machine));
        all.putAll(EmbeddedPlan.of(plan, names, about.command, held));
        all.put("kernels", kernels(outcome.kernels()));
        all.put("memory", Json.of(outcome.categories().stream().map(HtmlReport::peak).toList()));
        return page(Json.of(all));
    }

    /** The page with its data; the studio's JavaScript modules are embedded as data URLs. */
    static String page(Json data) throws IOException {
        var modules = new LinkedHashMap<String, Json>();
        for (var name : MODULES) {
            // a module in a data URL has no base path, so imports have no folder
            var text = Assets.text(name).replace("from \"./", "from \"");
            var bytes = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
            modules.put(name, Json.of("data:text/javascript;base64," + bytes));
        }
        return resource("report.html")
                .replace("/*{{style}}*/", Assets.text("style.css"))
                .replace("{{modules}}", Json.of(Map.of("imports", Json.of(modules))).toString())
                .replace("{{data}}", data.toString());
    }

    private static String resource(String name) throws IOException {
        try (var in = HtmlReport.class.getResourceAsStream("report/" + name)) {
            if (in == null) throw new FileNotFoundException("the resource report/" + name);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Map<String, Json> json(RunFigures o, PlanInBudget plan, double unigram) {
        var all = new LinkedHashMap<String, Json>();
        all.put("budget", Json.of(o.budgetBytes()));
        all.put("promised", Json.of(o.promisedBytes()));
        o.measuredBytes().ifPresent(bytes -> all.put("measured", Json.of(bytes)));
        all.put("storeAll", Json.of(o.storeAllBytes()));
        all.put("storeAllCost", Json.of(plan.plan().storeAllCost()));
        all.put("least", Json.of(plan.leastBytes()));
        all.put("recomputeShare", Json.of(o.recomputeShare()));
        all.put("diskRoom", Json.of(o.disk().roomBytes()));
        all.put("diskPromised", Json.of(o.disk().promisedBytes()));
        o.disk().measuredBytes().ifPresent(bytes -> all.put("diskMeasured", Json.of(bytes)));
        all.put("stepMs", Json.of(o.medianSeconds() * 1000));
        all.put("tokensPerSecond", Json.of(o.tokensPerSecond()));
        all.put("parameters", Json.of(o.parameters()));
        all.put("unigram", Json.of(unigram));
        all.put("loss", Json.of(o.losses().stream().map(Json::of).toList()));
        return all;
    }

    private static Json peak(Report.Peak peak) {
        var row = new LinkedHashMap<String, Json>();
        row.put("category", Json.of(peak.category().name().toLowerCase(Locale.ROOT)));
        row.put("promised", Json.of(peak.promisedBytes()));
        row.put("measured", Json.of(peak.measuredBytes()));
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
