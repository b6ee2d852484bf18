package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Step;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A plan in words: what it promises, and for every value that matters what happens to it and why. A
 * value matters if it is computed more than once, or made in the forward half and read in the
 * backward half.
 */
final class Explanation {
    private final Plan plan;
    private final Problem problem;
    private final int steps;
    private final List<ValueFate> all;
    private final List<ValueFate> fates;

    private Explanation(Plan plan) {
        this.plan = plan;
        problem = plan.schedule().problem();
        steps = plan.schedule().steps().size();
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
        Map<Value, Integer> computed = new HashMap<>();
        Map<Value, Integer> rebuilt = new HashMap<>();
        Map<Value, Integer> fetched = new HashMap<>();
        Map<Value, Integer> present = new HashMap<>();
        Map<Value, Integer> since = new HashMap<>();
        var list = plan.schedule().steps();
        for (int i = 0; i < list.size(); i++) {
            switch (list.get(i)) {
                case Step.Work work -> {
                    var count =
                            switch (work) {
                                case Step.Compute _ -> computed;
                                case Step.Invert _ -> rebuilt;
                            };
                    for (var reuse : work.reuses()) leave(present, since, reuse.from(), i);
                    for (Value v : work.node().outputs()) {
                        count.merge(v, 1, Integer::sum);
                        since.put(v, i);
                    }
                }
                case Step.Fetch(var v) -> {
                    fetched.merge(v, 1, Integer::sum);
                    since.put(v, i);
                }
                case Step.Free(var v) -> leave(present, since, v, i);
                case Step.Offload _ -> {}
            }
        }
        for (Value v : List.copyOf(since.keySet())) leave(present, since, v, list.size());
        var crossing = crossing();
        var found = new ArrayList<ValueFate>();
        for (Node node : problem.graph().nodes()) {
            for (Value v : node.outputs()) {
                found.add(
                        new ValueFate(
                                v,
                                node,
                                problem.bytes(v),
                                computed.getOrDefault(v, 0),
                                rebuilt.getOrDefault(v, 0),
                                fetched.getOrDefault(v, 0),
                                present.getOrDefault(v, 0),
                                crossing.getOrDefault(v, false),
                                ""));
            }
        }
        found.sort(
                Comparator.comparingLong(ValueFate::bytes)
                        .reversed()
                        .thenComparingInt(f -> f.value().id()));
        return found;
    }

    private static void leave(
            Map<Value, Integer> present, Map<Value, Integer> since, Value v, int step) {
        Integer from = since.remove(v);
        if (from != null) present.merge(v, step - from, Integer::sum);
    }

    /** Values of the forward half that the backward half reads. */
    private Map<Value, Boolean> crossing() {
        Map<Value, Boolean> crossing = new HashMap<>();
        for (Node node : problem.graph().nodes()) {
            if (node.reverse()) node.inputs().forEach(v -> crossing.replace(v, true));
            else node.outputs().forEach(v -> crossing.put(v, false));
        }
        return crossing;
    }

    private String text() {
        var out = new StringBuilder();
        double once = plan.curve().storeAllCost();
        line(out, "promised peak   " + Budget.show(plan.peakBytes()));
        if (plan.workerBytes() > 0) {
            line(
                    out,
                    "workers         "
                            + plan.workers()
                            + ", which own "
                            + Budget.show(plan.workerBytes())
                            + " of it beside the arena");
        }
        line(out, "store all       " + Budget.show(plan.storeAllBytes()));
        line(out, "highest         " + highest());
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
        disk().ifPresent(text -> line(out, text));
        for (String loop : LoopText.of(problem.graph())) line(out, "inside          " + loop);
        if (fates.isEmpty())
            return out.append("no value is computed twice or kept for a backward half\n")
                    .toString();
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
                            share(f.present(), steps),
                            reason(f)));
        }
        return out.append(table(rows)).toString();
    }

    /** The step at which most is alive, and what it writes. */
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
        var labels = node.op().labels();
        if (labels.isEmpty()) return node.op().name();
        return node.op().name() + " \"" + String.join("\", \"", new TreeSet<>(labels)) + "\"";
    }

    /** How values come back, all ways in one line; what is kept needs none. */
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
                : Optional.of("brought back    " + String.join("; ", parts));
    }

    private String amount(Mix.Part part, boolean rounds) {
        return part.count()
                + (rounds ? " rounds, " : ", ")
                + Budget.show(part.bytes())
                + (part.cost() == 0 ? "" : ", " + share(part.cost(), plan.cost()) + " of the time");
    }

    /** What lies on the disk, in one line. */
    private Optional<String> disk() {
        long bytes = plan.layout().shelves().bytes();
        if (bytes == 0) return Optional.empty();
        var schedule = plan.schedule();
        return Optional.of(
                "on the disk     "
                        + Budget.show(bytes)
                        + "; "
                        + schedule.footprint().fetched()
                        + " values are fetched, "
                        + schedule.away().size()
                        + " parameters start there"
                        + loops());
    }

    /** How many loops keep states there. */
    private String loops() {
        long loops =
                plan.schedule().problem().graph().nodes().stream()
                        .filter(n -> LoopStates.of(n).filter(LoopStates::forward).isPresent())
                        .count();
        return loops == 0
                ? ""
                : ", " + loops + (loops == 1 ? " loop keeps" : " loops keep") + " states there";
    }

    private String reason(ValueFate f) {
        var traits = f.node().op().traits();
        if (!f.matters()) return "its readers come soon after it; then it is freed";
        if (f.rebuilt() > 0) return "rebuilt from what came after it" + exactness(f.value());
        if (f.fetched() > 0) return "put on the disk meanwhile";
        if (f.computed() > 1) return "recomputed: costs " + number(rate(f)) + " per MiB";
        if (fates.stream().allMatch(ValueFate::stayed)) return "everything fits";
        if (traits.contains(Trait.EFFECT) || traits.contains(Trait.NONDETERMINISTIC))
            return "may run only once";
        if (traits.contains(Trait.EXPENSIVE)) return "declared expensive";
        double dearest =
                fates.stream()
                        .filter(g -> g.computed() > 1)
                        .mapToDouble(this::rate)
                        .max()
                        .orElse(0);
        if (rate(f) > dearest) return "kept: recomputing costs " + number(rate(f)) + " per MiB";
        if (f.bytes() * 64 <= fates.getFirst().bytes()) return "small";
        return "no need to let it go at this budget";
    }

    private String exactness(Value value) {
        boolean exact =
                plan.schedule().steps().stream()
                        .noneMatch(
                                step ->
                                        step instanceof Step.Invert(var inversion, _)
                                                && inversion.value().equals(value)
                                                && !inversion.exact());
        return exact ? "" : ", approximately";
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
