package dev.ebb.cli.studio;

import dev.ebb.cli.report.Planned;
import dev.ebb.nn.file.Json;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A plan as the studio draws it, for a page that has no studio to ask. */
public final class FrozenPlan {
    private static final int MOST_REASONS = 400;

    private FrozenPlan() {}

    /**
     * The members {@code model}, {@code plan} and {@code why} of such a page's data.
     *
     * @param names what the first parameters are called
     * @param command what gives the plan again
     * @param held the bytes held at each computation and transfer, as counted; none before a step
     */
    public static Map<String, Json> of(
            Planned planned, List<String> names, String command, long[] held) {
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
        var why = new LinkedHashMap<String, Json>();
        planned.plan().fates().stream()
                .limit(MOST_REASONS)
                .forEach(
                        fate ->
                                why.put(
                                        String.valueOf(graph.place(fate.value())),
                                        Json.of(
                                                List.of(
                                                        Json.of(Why.way(fate)),
                                                        Json.of(fate.reason())))));
        all.put("why", Json.of(why));
        return all;
    }
}
