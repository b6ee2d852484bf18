package dev.ebb.cli.studio;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.cli.report.PlanFigures;
import dev.ebb.cli.report.PlanInBudget;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Step;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A plan as the page draws it: its figures, its steps, and when each value is in memory. */
final class PlanFrame {
    private PlanFrame() {}

    /** The kinds of steps, by number. */
    private enum Kind {
        COMPUTE,
        REBUILD,
        FREE,
        OFFLOAD,
        FETCH
    }

    static Json of(PlanInBudget p, ModelGraph graph, String command, OptionalLong least) {
        return of(p, graph, graph, command, PlanFigures.of(p, least, "").lines());
    }

    /**
     * The same with these lines of figures.
     *
     * @param graph the graph of the plan
     * @param model the graph that the page already has; if it is another one, the plan's graph is
     *     sent too
     * @param figures names and texts, as the command prints them
     */
    static Json of(
            PlanInBudget p,
            ModelGraph graph,
            ModelGraph model,
            String command,
            Map<String, String> figures) {
        var plan = p.plan();
        var all = new LinkedHashMap<String, Json>();
        all.put("state", Json.of("ready"));
        all.put("budget", Json.of(p.budgetBytes()));
        all.put("promised", Json.of(p.promisedBytes()));
        all.put("own", Json.of(p.ownBytes()));
        all.put("cost", Json.of(plan.cost()));
        all.put("command", Json.of(command));
        var lines = new ArrayList<Json>();
        figures.forEach((name, text) -> lines.add(Json.of(List.of(Json.of(name), Json.of(text)))));
        all.put("lines", Json.of(lines));
        var highest = plan.highest();
        all.put("highest", Json.of(highest.step()));
        if (graph != model) all.put("model", graph.json());
        all.put("steps", steps(plan.schedule().steps(), graph));
        all.put("stays", stays(p.layout(), graph));
        return Json.of(all);
    }

    static Json refused(long budget, OverBudgetException e) {
        var all = new LinkedHashMap<String, Json>();
        all.put("state", Json.of("refused"));
        all.put("budget", Json.of(budget));
        all.put("least", Json.of(e.leastBytes()));
        all.put("why", Json.of("below the least budget, " + BudgetText.show(e.leastBytes())));
        return Json.of(all);
    }

    /**
     * The kind and the number of each step, one after the other; a step that runs a kernel has the
     * number of its node.
     */
    private static Json steps(List<Step> steps, ModelGraph graph) {
        var flat = new ArrayList<Json>(2 * steps.size());
        for (var step : steps) {
            switch (step) {
                case Step.Compute(var node, _) -> put(flat, Kind.COMPUTE, graph.place(node));
                case Step.Invert(var inversion, _) ->
                        put(flat, Kind.REBUILD, graph.place(inversion.value()));
                case Step.Free(var value) -> put(flat, Kind.FREE, graph.place(value));
                case Step.Offload(var value, _) -> put(flat, Kind.OFFLOAD, graph.place(value));
                case Step.Fetch(var value, _) -> put(flat, Kind.FETCH, graph.place(value));
            }
        }
        return Json.of(flat);
    }

    private static void put(List<Json> flat, Kind kind, int place) {
        flat.add(Json.of(kind.ordinal()));
        flat.add(Json.of(place));
    }

    /**
     * For each interval that a value is in memory: the value, its first step, the step after its
     * last, and its bytes.
     */
    private static Json stays(Layout layout, ModelGraph graph) {
        var flat = new ArrayList<Json>();
        for (var slot : layout.slots()) {
            for (int i = 0; i < slot.stays().size(); i++) {
                var stay = slot.stays().get(i);
                int to = i + 1 < slot.stays().size() ? slot.stays().get(i + 1).from() : slot.to();
                flat.add(Json.of(graph.place(stay.value())));
                flat.add(Json.of(Math.max(0, stay.from())));
                flat.add(Json.of(stay.from() < 0 ? Math.max(1, to) : to));
                flat.add(Json.of(slot.bytes()));
            }
        }
        return Json.of(flat);
    }
}
