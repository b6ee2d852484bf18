package dev.ebb.cli.report;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Curve;
import dev.ebb.plan.RestoreSummary;
import dev.ebb.plan.TradeOff;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;

/** Writes the trade-off of time against memory as a table and as JSON. */
public final class CurveTable {
    private CurveTable() {}

    /**
     * What the plan at one point of the curve does with values: {@code kept 12 (3.0 MiB);
     * recomputed 4 (1.0 MiB, 0.3%)}.
     */
    static String how(RestoreSummary mix, double cost) {
        var parts = new ArrayList<String>();
        mix.parts()
                .forEach(
                        (name, part) -> {
                            if (part.count() > 0 || part.cost() > 0)
                                parts.add(name + " " + amount(part, cost));
                        });
        return String.join("; ", parts);
    }

    private static String amount(RestoreSummary.Part part, double cost) {
        var details = new ArrayList<String>();
        if (part.bytes() != 0) details.add(BudgetText.show(part.bytes()));
        if (part.cost() != 0 && cost != 0)
            details.add(String.format(Locale.ROOT, "%.1f%%", 100 * part.cost() / cost));
        return part.count() + (details.isEmpty() ? "" : " (" + String.join(", ", details) + ")");
    }

    public static void print(TradeOff curve, PrintWriter out) {
        var lines = curve.lines();
        double once = curve.storeAllCost();
        for (int i = 0; i < lines.size() && lines.size() > 1; i++)
            out.printf("time %d: %s%n", i + 1, lines.get(i).ways());
        out.printf("%14s  %8s", "budget", "of all");
        for (int i = 0; i < lines.size(); i++)
            out.printf("  %12s", lines.size() == 1 ? "time" : "time " + (i + 1));
        out.printf("  values (bytes, share of the time)%n");
        for (var point : curve.points()) {
            out.printf(
                    Locale.ROOT,
                    "%14s  %7.1f%%",
                    BudgetText.show(point.bytes()),
                    100.0 * point.bytes() / curve.storeAllBytes());
            for (var line : lines) {
                var found = line.at(point.bytes());
                out.printf(
                        "  %12s",
                        found.map(p -> String.format(Locale.ROOT, "%.4f", p.cost() / once))
                                .orElse("not possible"));
            }
            out.printf("  %s%n", how(point.mix(), point.cost()));
        }
    }

    /**
     * All lines with their smallest budgets and points, and how the plan at each point restores
     * values.
     */
    public static Json json(TradeOff curve) {
        var members = new LinkedHashMap<String, Json>();
        members.put("store_all_peak_bytes", Json.of(curve.storeAllBytes()));
        members.put("store_all_cost", Json.of(curve.storeAllCost()));
        members.put("lines", Json.of(curve.lines().stream().map(CurveTable::line).toList()));
        return Json.of(members);
    }

    private static Json line(TradeOff.Line line) {
        var members = new LinkedHashMap<String, Json>();
        members.put("ways", Json.of(line.ways().toString()));
        members.put("least_budget_bytes", Json.of(line.leastBytes()));
        members.put("points", Json.of(line.points().stream().map(CurveTable::point).toList()));
        return Json.of(members);
    }

    private static Json point(Curve.Point point) {
        var members = new LinkedHashMap<String, Json>();
        members.put("bytes", Json.of(point.bytes()));
        members.put("cost", Json.of(point.cost()));
        point.mix().parts().forEach((name, part) -> members.put(name, part(part, point.cost())));
        return Json.of(members);
    }

    private static Json part(RestoreSummary.Part part, double cost) {
        var members = new LinkedHashMap<String, Json>();
        members.put("count", Json.of(part.count()));
        members.put("bytes", Json.of(part.bytes()));
        members.put("cost_share", Json.of(cost == 0 ? 0 : part.cost() / cost));
        return Json.of(members);
    }

    /** The points of each line as pairs, for charts. */
    public static Json pairs(List<TradeOff.Line> lines) {
        return Json.of(
                lines.stream()
                        .map(
                                line -> {
                                    var members = new LinkedHashMap<String, Json>();
                                    members.put("ways", Json.of(line.ways().toString()));
                                    members.put(
                                            "points",
                                            Json.of(
                                                    line.points().stream()
                                                            .map(p -> pair(p.bytes(), p.cost()))
                                                            .toList()));
                                    return Json.of(members);
                                })
                        .toList());
    }

    public static Json pair(long bytes, double cost) {
        return Json.of(List.of(Json.of(bytes), Json.of(cost)));
    }
}
