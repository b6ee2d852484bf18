package dev.ebb.plan.schedule;

import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Follows the steps of a schedule and refuses an invalid one: a kernel that reads a value that is
 * not in memory, a value freed twice, an effect that runs twice.
 */
final class ScheduleCheck implements ScheduleListener {
    private final Problem problem;

    /** The values in the arena, each with the value whose memory it takes. */
    private final Map<Value, Value> resident = new HashMap<>();

    private final Set<Value> kept = new HashSet<>();
    private final Map<Value, Place> away = new HashMap<>();

    /** The next version of each state. */
    private final Map<Value, Value> versions = new HashMap<>();

    /** The values with a copy outside the arena, with their places. */
    private final Set<Step.Offload> stored = new HashSet<>();

    private final IdentityHashMap<Node, Integer> number = new IdentityHashMap<>();
    private final boolean[] done;
    private int lastEffect = -1;
    private long bytes;
    private long peak;
    private int computed;
    private int recomputed;
    private int rebuilt;
    private int fetched;

    ScheduleCheck(Problem problem) {
        this.problem = problem;
        var nodes = problem.graph().nodes();
        for (int i = 0; i < nodes.size(); i++) number.put(nodes.get(i), i);
        done = new boolean[nodes.size()];
        var params = problem.graph().params();
        for (int i = 0; i < params.size(); i++) {
            switch (problem.bindings().get(i)) {
                case Binding.Kept _ -> kept.add(params.get(i));
                case Binding.Replaced(int r) ->
                        versions.put(params.get(i), problem.graph().results().get(r));
                case Binding.Consumed _ -> {}
            }
        }
    }

    @Override
    public void starts(Value param) {
        resident.put(param, param);
        bytes += problem.bytes(param);
        peak = bytes;
    }

    @Override
    public void startsAway(Value param, Place place) {
        away.put(param, place);
        stored.add(new Step.Offload(param, place));
        kept.remove(param);
    }

    @Override
    public void runs(int step, Step.Work work, Run how) {
        var node = work.node();
        for (Value v : node.inputs())
            require(resident.containsKey(v), v, "is not resident for", node);
        switch (work) {
            case Step.Compute _ -> count(node);
            case Step.Invert(var inversion, _) -> count(inversion);
        }
        for (var reuse : work.reuses()) {
            var from = reuse.from();
            require(node.inputs().contains(from), from, "is overwritten but not read by", node);
            require(!kept.contains(from), from, "must be kept but is overwritten by", node);
            require(node.outputs().contains(reuse.into()), reuse.into(), "is not written by", node);
            require(
                    Inplace.allowed(node, from, reuse.into()),
                    from,
                    "may not be overwritten by",
                    node);
        }
    }

    @Override
    public void overwrites(int step, Value from, Value into) {
        var lying = resident.remove(from);
        if (lying == null) throw fault(from, "is overwritten twice at", "step " + step);
        arrive(into, lying, step);
    }

    @Override
    public void enters(int step, Value v) {
        bytes += problem.bytes(v);
        peak = Math.max(peak, bytes);
        arrive(v, v, step);
    }

    private void arrive(Value v, Value where, int step) {
        require(resident.put(v, where) == null, v, "is in the arena already at", "step " + step);
    }

    @Override
    public void frees(int step, Value v) {
        require(!kept.contains(v), v, "must be kept but is freed at", "step " + step);
        require(resident.remove(v) != null, v, "is freed but not resident at", "step " + step);
        bytes -= problem.bytes(v);
    }

    @Override
    public void offloads(int step, Value v, Place place) {
        require(
                problem.places().contains(place),
                v,
                "is offloaded to a place that the problem does not name:",
                place.name());
        require(resident.containsKey(v), v, "is not in the arena to be offloaded to", place.name());
        require(stored.add(new Step.Offload(v, place)), v, "is offloaded twice to", place.name());
    }

    @Override
    public void fetches(int step, Value v, Place place) {
        require(
                stored.contains(new Step.Offload(v, place)),
                v,
                "is fetched but is not in",
                place.name());
        var next = versions.get(v);
        require(
                next == null
                        || next.equals(v)
                        || !place.equals(away.get(v))
                        || !stored.contains(new Step.Offload(next, place)),
                v,
                "is fetched after its next version has overwritten it in",
                place.name());
        fetched++;
    }

    private void count(Inversion inversion) {
        require(
                problem.inversions().contains(inversion),
                inversion.node(),
                "is not an inverse of",
                "the problem");
        rebuilt++;
    }

    private void count(Node node) {
        Integer known = number.get(node);
        if (known == null) throw new IllegalArgumentException(node + " is not a node of the graph");
        int i = known;
        if (done[i]) {
            recomputed++;
            var traits = node.op().traits();
            require(
                    !traits.contains(Trait.EFFECT) && !traits.contains(Trait.NONDETERMINISTIC),
                    node.outputs(),
                    "may be computed once only, but is computed again by",
                    node);
        } else {
            computed++;
            if (node.op().traits().contains(Trait.EFFECT)) {
                require(
                        i > lastEffect,
                        node.outputs(),
                        "has an effect out of program order:",
                        node);
                lastEffect = i;
            }
        }
        done[i] = true;
    }

    Schedule.Footprint end() {
        var graph = problem.graph();
        var beside = new HashSet<Value>();
        for (var copy : stored) beside.add(copy.value());
        for (Value r : graph.results()) {
            require(
                    resident.containsKey(r) || beside.contains(r),
                    r,
                    "is neither in the arena nor in a place at the end of",
                    "the schedule");
        }
        for (int i = 0; i < graph.params().size(); i++) {
            if (problem.bindings().get(i) instanceof Binding.Replaced(int r)) {
                var result = graph.results().get(r);
                var param = graph.params().get(i);
                var home = away.get(param);
                require(
                        home != null
                                ? stored.contains(new Step.Offload(result, home))
                                : param.equals(resident.get(result)),
                        result,
                        "should end in the place of",
                        param);
            }
        }
        for (int i = 0; i < done.length; i++) {
            var node = graph.nodes().get(i);
            if (!done[i] && node.op().traits().contains(Trait.EFFECT)) {
                require(false, node.outputs(), "has an effect that never runs:", node);
            }
        }
        return new Schedule.Footprint(peak, computed, recomputed, rebuilt, fetched);
    }

    private static void require(boolean holds, Object subject, String fault, Object where) {
        if (!holds) throw fault(subject, fault, where);
    }

    private static IllegalArgumentException fault(Object subject, String fault, Object where) {
        return new IllegalArgumentException(subject + " " + fault + " " + where);
    }
}
