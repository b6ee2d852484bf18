package dev.ebb.cli.report;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.ValueHistory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What happened to the values of a plan, and why: the largest first. */
public final class Fates {

    /** One value's story. */
    public record Fate(
            String name, String type, long bytes, String where, String what, String why) {}

    private final Schedule schedule;
    private final Map<Value, ValueHistory> histories;
    private final Set<Value> crossing;

    private Fates(Schedule schedule) {
        this.schedule = schedule;
        histories = ValueHistory.of(schedule);
        crossing = schedule.problem().crossing();
    }

    private ValueHistory history(Value v) {
        return histories.getOrDefault(v, ValueHistory.NONE);
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
                            !history(p).fetched().isEmpty() ? meanwhile(p) : "held",
                            !history(p).fetched().isEmpty()
                                    ? "read again when its turn comes; its bytes were needed"
                                    : "weights, optimizer state or data"));
        }
        for (Node node : graph.nodes()) for (Value v : node.outputs()) all.add(fate(node, v));
        all.sort(Comparator.comparingLong(Fate::bytes).reversed());
        return List.copyOf(all.subList(0, Math.min(most, all.size())));
    }

    private String meanwhile(Value v) {
        return "put in " + history(v).fetched().getLast().name() + " meanwhile";
    }

    private Fate fate(Node node, Value v) {
        if (history(v).rebuilt() > 0)
            return fate(node, v, "rebuilt", "its inverse costs least for its bytes");
        if (!history(v).fetched().isEmpty())
            return fate(node, v, meanwhile(v), "that place is cheaper than its bytes");
        int times = history(v).computed();
        boolean kept = crossing.contains(v);
        var what =
                times > 1
                        ? "recomputed: " + times + " times in all"
                        : kept ? "kept for the backward half" : "used and freed";
        var why =
                times > 1
                        ? "keeping it would not fit; computing it again costs least for its bytes"
                        : kept
                                ? "the backward half reads it and there is room"
                                : history(v).overwritten()
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
