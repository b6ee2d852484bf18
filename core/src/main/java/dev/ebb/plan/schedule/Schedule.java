package dev.ebb.plan.schedule;

import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.pack.Packing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * An order of computing, freeing and moving. A schedule that exists is valid: the constructor
 * replays it.
 */
public record Schedule(Problem problem, List<Step> steps) {

    /** Every buffer of a program starts at a multiple of this: a cache line. */
    public static final long ALIGNMENT = Packing.ALIGNMENT;

    public Schedule {
        steps = List.copyOf(steps);
        replay(problem, steps);
    }

    /**
     * What running a schedule takes: the most bytes alive at once, and how many computations there
     * are.
     *
     * @param computed how many distinct nodes are computed
     * @param recomputed how many computations are repeats
     * @param rebuilt how many values are brought back by inversion
     * @param fetched how many are brought back from the disk
     */
    public record Footprint(
            long peakBytes, int computed, int recomputed, int rebuilt, int fetched) {}

    public Footprint footprint() {
        return replay(problem, steps);
    }

    /**
     * The time that all its steps take. Without transfers that is the sum of the costs of its
     * computations; transfers run one after the other beside the computation, which waits for them
     * where it needs them.
     */
    public double cost(Cost cost) {
        return new Clock(problem.disk(), cost).run(problem, steps);
    }

    /**
     * The graph that computes what this schedule computes, in its order: a node that is computed
     * again is there twice. Values that come back in another way than by computing them again have
     * no place in a graph.
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
        var made = new HashSet<Value>();
        var nodes = new ArrayList<Node>();
        for (Step step : steps) {
            switch (step) {
                case Step.Compute(var node, _) -> {
                    var inputs = node.inputs().stream().map(here::at).toList();
                    var outputs = new ArrayList<Value>();
                    for (Value v : node.outputs()) {
                        var now = made.add(v) ? v : new Value(next++, v.type());
                        outputs.add(now);
                        here.put(v, now);
                    }
                    nodes.add(new Node(node.op(), inputs, outputs, node.region(), node.reverse()));
                }
                case Step.Free _ -> {}
                case Step.Invert _, Step.Offload _, Step.Fetch _ ->
                        throw new IllegalStateException(
                                step
                                        + " is not a computation of the graph; plan without"
                                        + " inverses and without a disk");
            }
        }
        return new Graph(graph.params(), nodes, graph.results().stream().map(here::at).toList());
    }

    /** The parameters that are on the disk when the schedule starts: those fetched unstored. */
    public Set<Value> away() {
        return away(problem, steps);
    }

    private static Set<Value> away(Problem problem, List<Step> steps) {
        var params = new HashSet<>(problem.graph().params());
        var stored = new HashSet<Value>();
        var away = new LinkedHashSet<Value>();
        for (Step step : steps) {
            switch (step) {
                case Step.Offload(var v) -> stored.add(v);
                case Step.Fetch(var v) -> {
                    if (params.contains(v) && !stored.contains(v)) away.add(v);
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

    private static Footprint replay(Problem problem, List<Step> steps) {
        var replay = new ScheduleCheck(problem, away(problem, steps));
        for (Step step : steps) {
            switch (step) {
                case Step.Work work -> replay.work(work);
                case Step.Free(var value) -> replay.free(value, step);
                case Step.Offload(var value) -> replay.offload(value);
                case Step.Fetch(var value) -> replay.fetch(value);
            }
        }
        return replay.end();
    }
}
