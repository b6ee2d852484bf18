package dev.ebb.cli.studio;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.ir.Value;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Plan;
import dev.ebb.plan.ValueFate;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.ValueHistory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;

/** What a plan does with one value and why, and the cost of the alternatives. */
record ValueExplanation(Plan plan, Value value) {
    /** The reason for a value that is an input of the graph. */
    static final String GIVEN = "it is given, not computed: weights, state or data";

    Json json() {
        var all = new LinkedHashMap<String, Json>();
        var fate = plan.fates().stream().filter(f -> f.value().equals(value)).findFirst();
        var given = ValueHistory.of(plan.schedule()).getOrDefault(value, ValueHistory.NONE);
        all.put("way", Json.of(fate.map(ValueExplanation::way).orElse(given(given))));
        all.put("reason", Json.of(fate.map(ValueFate::reason).orElse(GIVEN)));
        all.put(
                "labels",
                Json.of(
                        fate
                                .map(f -> f.node().labels().stream().sorted().toList())
                                .orElse(List.of())
                                .stream()
                                .map(Json::of)
                                .toList()));
        all.put("choices", Json.of(fate.map(this::choices).orElse(List.of())));
        return Json.of(all);
    }

    /** A short description of what the plan does with a value. */
    static String way(ValueFate fate) {
        if (fate.history().rebuilt() > 0)
            return "rebuilt from later values, " + fate.history().rebuilt() + " x";
        if (!fate.history().fetched().isEmpty()) return moved(fate.history());
        if (fate.computed() > 1) return "computed " + fate.computed() + " times";
        return fate.crossing() ? "kept for the backward pass" : "used and freed";
    }

    /** The same for an input of the graph. */
    static String given(ValueHistory history) {
        return history.fetched().isEmpty() ? "held" : moved(history);
    }

    private static String moved(ValueHistory history) {
        var places = history.fetched();
        return "offloaded to " + places.getLast().name() + ", fetched " + places.size() + " x";
    }

    private List<Json> choices(ValueFate fate) {
        var choices = new ArrayList<Json>();
        double again = plan.curve().cost().of(fate.node());
        choices.add(
                choice(
                        "keep",
                        fate.stayed(),
                        BudgetText.show(fate.bytes()) + " until its last reader",
                        "no time"));
        choices.add(
                choice(
                        "compute again",
                        fate.computed() > 1,
                        "needs its inputs: " + inputs(fate),
                        seconds(again)));
        choices.add(inversion(fate));
        choices.add(disk(fate));
        return choices;
    }

    private Json inversion(ValueFate fate) {
        var ways =
                problem().inversions().stream()
                        .filter(i -> i.value().equals(value))
                        .mapToDouble(i -> plan.curve().cost().of(i.node()))
                        .min();
        return ways.isPresent()
                ? choice(
                        "rebuild",
                        fate.history().rebuilt() > 0,
                        "from later values, by an inverse",
                        seconds(ways.getAsDouble()))
                : choice("rebuild", false, "no op that reads it has an inverse", "not possible");
    }

    private Json disk(ValueFate fate) {
        var places = problem().places();
        if (places.isEmpty())
            return choice(
                    "offload", false, "the budget names no host memory or disk", "not possible");
        double seconds =
                places.stream()
                        .mapToDouble(p -> p.toWrite(fate.bytes()) + p.toRead(fate.bytes()))
                        .min()
                        .orElse(0);
        return choice(
                "offload",
                !fate.history().fetched().isEmpty(),
                "copied in parallel with the computation",
                seconds(seconds));
    }

    private String inputs(ValueFate fate) {
        var shown = fate.node().inputs().stream().distinct().limit(4).map(Value::toString).toList();
        long all = fate.node().inputs().stream().distinct().count();
        return all == 0
                ? "none"
                : String.join(", ", shown) + (all > shown.size() ? " and " + (all - 4) : "");
    }

    private String seconds(double cost) {
        double share = plan.cost() == 0 ? 0 : 100 * cost / plan.cost();
        return String.format(Locale.ROOT, "%.3f %% of the step", share);
    }

    private Problem problem() {
        return plan.schedule().problem();
    }

    private static Json choice(String action, boolean chosen, String memory, String time) {
        var row = new LinkedHashMap<String, Json>();
        row.put("what", Json.of(action));
        row.put("chosen", Json.of(chosen));
        row.put("memory", Json.of(memory));
        row.put("time", Json.of(time));
        return Json.of(row);
    }
}
