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
 * Replays the steps of a schedule and refuses an invalid one: a kernel that reads a value that is
 * not in memory, a value freed twice, an effect that runs twice.
 */
final class ScheduleCheck {
    private final Problem problem;

    /** What is resident, and the value in whose memory it lies. */
    private final Map<Value, Value> resident = new HashMap<>();

    private final Set<Value> kept = new HashSet<>();
    private final Set<Value> away;

    /** What has a copy on the disk. */
    private final Set<Value> stored = new HashSet<>();

    private final IdentityHashMap<Node, Integer> number = new IdentityHashMap<>();
    private final boolean[] done;
    private int lastEffect = -1;
    private long bytes;
    private long peak;
    private int computed;
    private int recomputed;
    private int rebuilt;
    private int fetched;

    ScheduleCheck(Problem problem, Set<Value> away) {
        this.problem = problem;
        this.away = away;
        stored.addAll(away);
        var params = problem.graph().params();
        for (int i = 0; i < params.size(); i++) {
            var p = params.get(i);
            if (away.contains(p)) continue;
            bytes += problem.bytes(p);
            resident.put(p, p);
            if (problem.bindings().get(i) instanceof Binding.Kept) kept.add(p);
        }
        peak = bytes;
        var nodes = problem.graph().nodes();
        for (int i = 0; i < nodes.size(); i++) number.put(nodes.get(i), i);
        done = new boolean[nodes.size()];
    }

    void work(Step.Work step) {
        var node = step.node();
        for (Value v : node.inputs())
            require(resident.containsKey(v), v, "is not resident for", node);
        switch (step) {
            case Step.Compute _ -> count(node);
            case Step.Invert(var inversion, _) -> count(inversion);
        }
        Map<Value, Value> place = new HashMap<>();
        for (var reuse : step.reuses()) {
            require(
                    node.inputs().contains(reuse.from()),
                    reuse.from(),
                    "is overwritten but not read by",
                    node);
            require(
                    !kept.contains(reuse.from()),
                    reuse.from(),
                    "must be kept but is overwritten by",
                    node);
            require(
                    Inplace.allowed(node, reuse.from(), reuse.into()),
                    reuse.from(),
                    "may not be overwritten by",
                    node);
            var lying = resident.remove(reuse.from());
            require(lying != null, reuse.from(), "is overwritten twice in", node);
            place.put(reuse.into(), lying);
        }
        for (Value v : node.outputs()) {
            var old = place.remove(v);
            if (old == null) bytes += problem.bytes(v);
            require(
                    resident.put(v, old == null ? v : old) == null,
                    v,
                    "is already resident before",
                    node);
        }
        require(place.isEmpty(), node.outputs(), "are not all that is written by", node);
        peak = Math.max(peak, bytes);
    }

    void offload(Value v) {
        require(problem.disk().isPresent(), v, "is put on a disk, but there is none:", "give one");
        require(resident.containsKey(v), v, "is not in memory to be put on", "the disk");
        require(stored.add(v), v, "is put twice on", "the disk");
    }

    void fetch(Value v) {
        require(stored.contains(v), v, "is fetched but is not on", "the disk");
        require(resident.put(v, v) == null, v, "is fetched but is already in", "memory");
        bytes += problem.bytes(v);
        peak = Math.max(peak, bytes);
        fetched++;
    }

    private void count(Inversion inversion) {
        require(
                problem.inversions().contains(inversion),
                inversion.node(),
                "is not a way back that is known to",
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

    void free(Value v, Step step) {
        require(!kept.contains(v), v, "must be kept but is freed in", step);
        require(resident.remove(v) != null, v, "is freed but not resident in", step);
        bytes -= problem.bytes(v);
    }

    Schedule.Footprint end() {
        var graph = problem.graph();
        for (Value r : graph.results()) {
            require(
                    resident.containsKey(r) || stored.contains(r),
                    r,
                    "is neither resident nor on the disk at the end of",
                    "the schedule");
        }
        for (int i = 0; i < graph.params().size(); i++) {
            if (problem.bindings().get(i) instanceof Binding.Replaced(int r)) {
                var result = graph.results().get(r);
                var param = graph.params().get(i);
                require(
                        away.contains(param)
                                ? stored.contains(result)
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

    private static void require(boolean holds, Object what, String fault, Object where) {
        if (!holds) throw new IllegalArgumentException(what + " " + fault + " " + where);
    }
}
