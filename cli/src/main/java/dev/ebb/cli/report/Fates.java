package dev.ebb.cli.report;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Step;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What happened to the values of a plan, and why: the largest first. */
public final class Fates {

    /** One value's story. */
    public record Fate(
            String name, String type, long bytes, String where, String what, String why) {}

    private final Schedule schedule;
    private final Map<Value, Integer> computed = new HashMap<>();
    private final Set<Value> rebuilt = new HashSet<>();
    private final Set<Value> fetched = new HashSet<>();
    private final Set<Value> overwritten = new HashSet<>();
    private final Set<Value> crossing = new HashSet<>();

    private Fates(Schedule schedule) {
        this.schedule = schedule;
        for (var step : schedule.steps()) {
            switch (step) {
                case Step.Compute(var node, var reuses) -> {
                    for (var v : node.outputs()) computed.merge(v, 1, Integer::sum);
                    for (var reuse : reuses) overwritten.add(reuse.from());
                }
                case Step.Invert(var inversion, var reuses) -> {
                    rebuilt.add(inversion.value());
                    for (var reuse : reuses) overwritten.add(reuse.from());
                }
                case Step.Fetch(var v) -> fetched.add(v);
                case Step.Free _, Step.Offload _ -> {}
            }
        }
        for (Node node : schedule.problem().graph().nodes())
            if (node.reverse()) crossing.addAll(node.inputs());
    }

    /** The fates of the largest values; the first parameters go by {@code names}. */
    public static List<Fate> of(Schedule schedule, List<String> names, int most) {
        return new Fates(schedule).all(names, most);
    }

    private List<Fate> all(List<String> names, int most) {
        var graph = schedule.problem().graph();
        var all = new ArrayList<Fate>();
        for (int i = 0; i < graph.params().size(); i++) {
            var p = graph.params().get(i);
            all.add(
                    new Fate(
                            i < names.size() ? names.get(i) : p.toString(),
                            p.type().toString(),
                            p.type().bytes(),
                            "given",
                            fetched.contains(p) ? "put on the disk meanwhile" : "held",
                            fetched.contains(p)
                                    ? "read again when its turn comes; its bytes were needed"
                                    : "weights, optimizer state or data"));
        }
        for (Node node : graph.nodes()) for (Value v : node.outputs()) all.add(fate(node, v));
        all.sort(Comparator.comparingLong(Fate::bytes).reversed());
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }

    private Fate fate(Node node, Value v) {
        if (rebuilt.contains(v))
            return fate(node, v, "rebuilt", "its inverse costs least for its bytes");
        if (fetched.contains(v))
            return fate(node, v, "put on the disk meanwhile", "the disk is cheaper than its bytes");
        int times = computed.getOrDefault(v, 0);
        boolean kept = !node.reverse() && crossing.contains(v);
        var what =
                times > 1
                        ? "recomputed: " + times + " times in all"
                        : kept ? "kept for the backward half" : "used and freed";
        var why =
                times > 1
                        ? "keeping it would not fit; computing it again costs least for its bytes"
                        : kept
                                ? "the backward half reads it and there is room"
                                : overwritten.contains(v)
                                        ? "its last reader writes over it"
                                        : "nothing later reads it";
        return fate(node, v, what, why);
    }

    private static Fate fate(Node node, Value v, String what, String why) {
        var where =
                (node.region().isTop() ? "" : node.region() + ", ")
                        + (node.reverse() ? "backward" : "forward");
        return new Fate(
                v + " = " + node.op().name(),
                v.type().toString(),
                v.type().bytes(),
                where,
                what,
                why);
    }
}
