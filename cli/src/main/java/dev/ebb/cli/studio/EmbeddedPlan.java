package dev.ebb.cli.studio;

import dev.ebb.cli.report.PlanInBudget;
import dev.ebb.ir.Value;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.ValueHistory;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The data of a plan's drawing, embedded in a page that has no server to request them from. */
public final class EmbeddedPlan {
    private static final int MOST_REASONS = 400;

    private EmbeddedPlan() {}

    /**
     * The members {@code model}, {@code plan} and {@code why} of the page's data.
     *
     * @param names the names of the first parameters
     * @param command the command line that makes the plan
     * @param held the measured bytes in use at each computation and transfer; empty before the
     *     first step
     */
    public static Map<String, Json> of(
            PlanInBudget planned, List<String> names, String command, long[] held) {
        var graph = new ModelGraph(planned.plan(), names);
        var all = new LinkedHashMap<String, Json>();
        all.put("model", graph.json());
        var frame = new LinkedHashMap<String, Json>();
        if (PlanFrame.of(planned, graph, command, OptionalLong.of(planned.leastBytes()))
                instanceof Json.Obj(var members)) frame.putAll(members);
        frame.put(
                "held",
                Json.of(
                        Arrays.stream(held)
                                .mapToObj(bytes -> Json.of(bytes + planned.ownBytes()))
                                .toList()));
        all.put("plan", Json.of(frame));
        all.put("why", Json.of(why(planned.plan(), graph)));
        return all;
    }

    /**
     * For each value what the plan does with it and why: first the offloaded parameters, then the
     * largest values.
     */
    private static Map<String, Json> why(Plan plan, ModelGraph graph) {
        var why = new LinkedHashMap<String, Json>();
        var histories = ValueHistory.of(plan.schedule());
        for (var param : plan.schedule().problem().graph().params()) {
            var history = histories.getOrDefault(param, ValueHistory.NONE);
            if (!history.fetched().isEmpty())
                why.put(
                        place(graph, param),
                        words(ValueExplanation.given(history), ValueExplanation.GIVEN));
        }
        plan.fates().stream()
                .limit(MOST_REASONS)
                .forEach(
                        f ->
                                why.put(
                                        place(graph, f.value()),
                                        words(ValueExplanation.way(f), f.reason())));
        return why;
    }

    private static String place(ModelGraph graph, Value value) {
        return String.valueOf(graph.place(value));
    }

    private static Json words(String way, String reason) {
        return Json.of(List.of(Json.of(way), Json.of(reason)));
    }
}
