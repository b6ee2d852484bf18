package dev.ebb.plan.schedule;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.pack.Packing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The steps of a plan in their order: nodes are computed, values are freed, and values are moved to
 * places and back. A schedule that exists is valid: the constructor replays it.
 */
public record Schedule(Problem problem, List<Step> steps) {

    /** Every buffer of a program starts at a multiple of this: a cache line. */
    public static final long ALIGNMENT = Packing.ALIGNMENT;

    public Schedule {
        steps = List.copyOf(steps);
        check(problem, steps);
    }

    /** Reports everything that happens to {@code listener}, in order. */
    public void tell(ScheduleListener listener) {
        tell(problem, steps, listener);
    }

    /** The same for steps that are not checked. */
    static void tell(Problem problem, List<Step> steps, ScheduleListener listener) {
        var away = away(problem, steps);
        for (Value p : problem.graph().params()) {
            var place = away.get(p);
            if (place == null) listener.starts(p);
            else listener.startsAway(p, place);
        }
        Set<Node> done = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < steps.size(); i++) {
            switch (steps.get(i)) {
                case Step.Work work -> {
                    listener.runs(i, work, kind(work, done));
                    var over = new HashSet<Value>();
                    for (var reuse : work.reuses()) {
                        listener.overwrites(i, reuse.from(), reuse.into());
                        over.add(reuse.into());
                    }
                    for (Value v : work.node().outputs())
                        if (!over.contains(v)) listener.enters(i, v);
                }
                case Step.Free(var v) -> listener.frees(i, v);
                case Step.Offload(var v, var place) -> listener.offloads(i, v, place);
                case Step.Fetch(var v, var place) -> {
                    listener.fetches(i, v, place);
                    listener.enters(i, v);
                }
            }
        }
    }

    private static ScheduleListener.Run kind(Step.Work work, Set<Node> done) {
        return switch (work) {
            case Step.Compute(var node, _) ->
                    done.add(node) ? ScheduleListener.Run.FIRST : ScheduleListener.Run.AGAIN;
            case Step.Invert _ -> ScheduleListener.Run.INVERTED;
        };
    }

    /**
     * The resources that a schedule needs: the most bytes alive at once, and the numbers of
     * computations.
     *
     * @param computed how many distinct nodes are computed
     * @param recomputed how many computations are recomputations
     * @param rebuilt how many values are restored by inversion
     * @param fetched how many are restored from places outside the arena
     */
    public record Footprint(
            long peakBytes, int computed, int recomputed, int rebuilt, int fetched) {}

    public Footprint footprint() {
        return check(problem, steps);
    }

    /**
     * The time of all its steps. Without transfers it is the sum of the costs of its computations.
     * The transfers of each place run one after the other, concurrently with the computation, which
     * waits for a transfer only where it needs the result.
     */
    public double cost(Cost cost) {
        return Clock.time(this, cost);
    }

    /**
     * The graph with the computations of this schedule in its order. A node that is recomputed
     * occurs twice, and a value that is rebuilt by an inversion is the output of a further node.
     * Transfers cannot be expressed in a graph: a schedule with places is refused.
     */
    public Graph asGraph() {
        var graph = problem.graph();
        var here = new Table<Value, Value>();
        int next = 0;
        for (Value p : graph.params()) {
            here.put(p, p);
            next = Math.max(next, p.id() + 1);
        }
        for (Node node : graph.nodes())
            for (Value v : node.outputs()) next = Math.max(next, v.id() + 1);
        for (var inversion : problem.inversions())
            for (Value v : inversion.node().outputs()) next = Math.max(next, v.id() + 1);
        var nodes = new ArrayList<Node>();
        for (Step step : steps) {
            switch (step) {
                case Step.Work work -> {
                    var node = work.node();
                    var inputs = node.inputs().stream().map(here::at).toList();
                    var outputs = new ArrayList<Value>();
                    for (Value v : node.outputs()) {
                        var now = here.has(v) ? new Value(next++, v.type()) : v;
                        outputs.add(now);
                        here.put(v, now);
                    }
                    nodes.add(node.on(inputs, outputs));
                }
                case Step.Free _ -> {}
                case Step.Offload _, Step.Fetch _ ->
                        throw new IllegalStateException(
                                step + " is not a computation; plan without places");
            }
        }
        return new Graph(graph.params(), nodes, graph.results().stream().map(here::at).toList());
    }

    /**
     * The parameters that lie outside the arena when the schedule starts, each with its place:
     * those that are fetched from a place without having been offloaded to it.
     */
    public Map<Value, Place> away() {
        return away(problem, steps);
    }

    static Map<Value, Place> away(Problem problem, List<Step> steps) {
        if (problem.places().isEmpty()) return Map.of();
        var params = new HashSet<>(problem.graph().params());
        var stored = new HashSet<Step.Offload>();
        var away = new LinkedHashMap<Value, Place>();
        for (Step step : steps) {
            switch (step) {
                case Step.Offload offload -> stored.add(offload);
                case Step.Fetch(var v, var place) -> {
                    if (params.contains(v) && !stored.contains(new Step.Offload(v, place)))
                        away.putIfAbsent(v, place);
                }
                case Step.Work _, Step.Free _ -> {}
            }
        }
        return away;
    }

    /** The memory a value occupies on every device: its bytes, rounded up to whole cache lines. */
    public static long bytes(Value value) {
        return Sizes.CACHE_LINES.of(value);
    }

    private static Footprint check(Problem problem, List<Step> steps) {
        var check = new ScheduleCheck(problem);
        tell(problem, steps, check);
        return check.end();
    }
}
