package dev.ebb.plan;

import dev.ebb.ir.Control;
import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.PlaceLayout;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Step;
import dev.ebb.plan.schedule.ValueHistory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The text of a plan: its promises, and for every value that matters what happens to it and why. A
 * value matters if it is computed more than once, or made in the forward half and read in the
 * backward half.
 */
final class Explanation {
    private final Plan plan;
    private final Problem problem;
    private final int steps;
    private final Map<Value, ValueHistory> histories;
    private final List<ValueFate> all;
    private final List<ValueFate> fates;

    private Explanation(Plan plan) {
        this.plan = plan;
        problem = plan.schedule().problem();
        steps = plan.schedule().steps().size();
        histories = ValueHistory.of(plan.schedule());
        all = all();
        fates = all.stream().filter(ValueFate::matters).toList();
    }

    static String of(Plan plan) {
        return new Explanation(plan).text();
    }

    /** The fate of every value that the plan's graph computes, largest first. */
    static List<ValueFate> fates(Plan plan) {
        var explanation = new Explanation(plan);
        return explanation.all.stream().map(f -> f.because(explanation.reason(f))).toList();
    }

    private List<ValueFate> all() {
        var crossing = problem.crossing();
        var found = new ArrayList<ValueFate>();
        for (Node node : problem.graph().nodes()) {
            for (Value v : node.outputs()) {
                var history = histories.getOrDefault(v, ValueHistory.NONE);
                found.add(
                        new ValueFate(
                                v, node, problem.bytes(v), history, crossing.contains(v), ""));
            }
        }
        found.sort(
                Comparator.comparingLong(ValueFate::bytes)
                        .reversed()
                        .thenComparingInt(f -> f.value().id()));
        return found;
    }

    private String text() {
        var out = new StringBuilder();
        double once = plan.storeAllCost();
        line(out, "promised peak   " + Budget.show(plan.peakBytes()));
        if (plan.workerBytes() > 0) {
            line(
                    out,
                    "workers         "
                            + plan.workers()
                            + ", using "
                            + Budget.show(plan.workerBytes())
                            + " of it outside the arena");
        }
        line(out, "store all       " + Budget.show(plan.storeAllBytes()));
        line(out, "peak at         " + highest());
        line(
                out,
                "cost            "
                        + number(plan.cost())
                        + ", "
                        + share(plan.cost(), once)
                        + " of computing everything once");
        line(
                out,
                String.format(
                        Locale.ROOT,
                        "lower bound     %s, gap %.2f %%",
                        number(plan.lowerBound()),
                        100 * plan.gap()));
        ways().ifPresent(text -> line(out, text));
        for (var place : plan.layout().places()) beside(place).ifPresent(text -> line(out, text));
        for (Node node : problem.graph().nodes())
            tiles(node).ifPresent(text -> line(out, "in tiles        " + text));
        for (String loop : LoopText.of(problem.graph())) line(out, "inside          " + loop);
        if (fates.isEmpty())
            return out.append("no value is recomputed or kept for a backward pass\n").toString();
        var rows = new ArrayList<List<String>>();
        rows.add(
                List.of(
                        "value",
                        "op",
                        "region",
                        "bytes",
                        "computed",
                        "extra cost",
                        "present",
                        "why"));
        for (ValueFate f : fates) {
            double again = plan.curve().cost().of(f.node()) * Math.max(0, f.computed() - 1);
            rows.add(
                    List.of(
                            f.value().toString(),
                            title(f.node()),
                            f.node().region().toString(),
                            Long.toString(f.bytes()),
                            f.way(),
                            f.computed() == 1 ? "-" : number(again),
                            share(f.history().present(), steps),
                            reason(f)));
        }
        return out.append(table(rows)).toString();
    }

    /**
     * How a loop over the tiles of a region runs, and its share of the time; empty for other nodes.
     */
    private Optional<String> tiles(Node node) {
        if (!(node.kernel() instanceof Control.Scan k)) return Optional.empty();
        return k.tileRows(node.inputs())
                .map(
                        rows ->
                                k.times()
                                        + " of "
                                        + rows
                                        + " rows, one after the other; "
                                        + k.body().nodes().size()
                                        + " kernels each, "
                                        + share(plan.curve().cost().of(node), plan.cost())
                                        + " of the time");
    }

    /** The step with the most live bytes, and the value that it writes. */
    private String highest() {
        var highest = plan.highest();
        if (steps == 0) return "nowhere: there is no step";
        var step = plan.schedule().steps().get(highest.step());
        var text = "step " + (highest.step() + 1) + " of " + steps;
        if (step instanceof Step.Work work) {
            var region = work.node().region();
            text += ", " + title(work.node()) + (region.isTop() ? "" : " in " + region);
        }
        return text + highest.written().map(v -> ", which writes " + v).orElse("");
    }

    private static String title(Node node) {
        var labels = node.labels();
        if (labels.isEmpty()) return node.op().name();
        return node.op().name() + " \"" + String.join("\", \"", new TreeSet<>(labels)) + "\"";
    }

    /** One line on how values that were freed are restored, with all ways. */
    private Optional<String> ways() {
        var mix = plan.mix();
        var parts = new ArrayList<String>();
        mix.parts()
                .forEach(
                        (name, part) -> {
                            if (part.count() > 0 && !name.equals("kept"))
                                parts.add(name + " " + amount(part, name.equals("iterated")));
                        });
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of("restored        " + String.join("; ", parts));
    }

    private String amount(RestoreSummary.Part part, boolean iterations) {
        return part.count()
                + (iterations ? " iterations, " : ", ")
                + Budget.show(part.bytes())
                + (part.cost() == 0 ? "" : ", " + share(part.cost(), plan.cost()) + " of the time");
    }

    /** One line on the values offloaded to one place. */
    private Optional<String> beside(PlaceLayout there) {
        if (there.bytes() == 0) return Optional.empty();
        long fetched =
                histories.values().stream()
                        .flatMap(h -> h.fetched().stream().filter(there.place()::equals))
                        .count();
        long starting =
                plan.schedule().away().values().stream().filter(there.place()::equals).count();
        return Optional.of(
                "offloaded       "
                        + Budget.show(there.bytes())
                        + " to "
                        + there.place().name()
                        + "; "
                        + fetched
                        + " values are fetched, "
                        + starting
                        + " parameters start there"
                        + loops(there));
    }

    /** The number of loops that keep states in the place. */
    private String loops(PlaceLayout there) {
        long loops =
                problem.graph().nodes().stream()
                        .flatMap(n -> LoopStates.of(n).stream())
                        .filter(l -> l.forward() && there.loops().has(l.key()))
                        .count();
        return loops == 0
                ? ""
                : ", " + loops + (loops == 1 ? " loop keeps" : " loops keep") + " states there";
    }

    private String reason(ValueFate f) {
        var traits = f.node().op().traits();
        if (!f.matters()) return "freed soon, after its last reader";
        if (f.history().rebuilt() > 0)
            return "rebuilt from later values by an inverse"
                    + (f.history().exact() ? "" : ", approximately");
        if (!f.history().fetched().isEmpty())
            return "offloaded until it is needed: "
                    + f.history().fetched().stream()
                            .map(Place::name)
                            .distinct()
                            .collect(Collectors.joining(", "));
        if (f.computed() > 1) return "recomputed: costs " + number(rate(f)) + " per MiB";
        if (fates.stream().allMatch(ValueFate::stayed)) return "everything fits";
        if (traits.contains(Trait.EFFECT) || traits.contains(Trait.NONDETERMINISTIC))
            return "kept: its op may run only once";
        if (traits.contains(Trait.EXPENSIVE)) return "kept: its op is declared expensive";
        double dearest =
                fates.stream()
                        .filter(g -> g.computed() > 1)
                        .mapToDouble(this::rate)
                        .max()
                        .orElse(0);
        if (rate(f) > dearest) return "kept: recomputing costs " + number(rate(f)) + " per MiB";
        if (f.bytes() * 64 <= fates.getFirst().bytes()) return "kept: small";
        return "kept: the budget has room for it";
    }

    private double rate(ValueFate f) {
        return plan.curve().cost().of(f.node()) / Math.max(1, f.bytes()) * (1 << 20);
    }

    private static String table(List<List<String>> rows) {
        int columns = rows.getFirst().size();
        var widths = new int[columns];
        for (var row : rows) {
            for (int c = 0; c < columns; c++) widths[c] = Math.max(widths[c], row.get(c).length());
        }
        var out = new StringBuilder();
        for (var row : rows) {
            var text = new StringBuilder();
            for (int c = 0; c < columns; c++) {
                boolean right = c == 3 || c == 5 || c == 6;
                text.append(
                        String.format(
                                Locale.ROOT,
                                "%" + (right ? "" : "-") + Math.max(1, widths[c]) + "s  ",
                                row.get(c)));
            }
            out.append(text.toString().stripTrailing()).append('\n');
        }
        return out.toString();
    }

    private static String number(double x) {
        if (x == Math.rint(x) && Math.abs(x) < 1e9) return Long.toString((long) x);
        return Math.abs(x) >= 1e-3 && Math.abs(x) < 1e9
                ? String.format(Locale.ROOT, "%.3f", x)
                : String.format(Locale.ROOT, "%.3e", x);
    }

    private static String share(double part, double whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * part / whole);
    }

    private static void line(StringBuilder out, String text) {
        out.append(text).append('\n');
    }
}
