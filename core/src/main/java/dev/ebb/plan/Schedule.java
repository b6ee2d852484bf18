package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An order of computing and freeing. A schedule that exists is valid: the constructor replays it.
 */
public record Schedule(Problem problem, List<Step> steps) {

    /** Every buffer of a program starts at a multiple of this: a cache line. */
    public static final long ALIGNMENT = 64;

    public Schedule {
        steps = List.copyOf(steps);
        replay(problem, steps);
    }

    /**
     * What running a schedule takes: the most bytes alive at once, and how many computations there
     * are.
     */
    public record Footprint(long peakBytes, int computed, int recomputed) {}

    public Footprint footprint() {
        return replay(problem, steps);
    }

    /** The sum of the costs of all its computations. */
    public double cost(Cost cost) {
        double sum = 0;
        for (Step step : steps) {
            switch (step) {
                case Step.Compute(var node, _) -> sum += cost.of(node);
                case Step.Free _ -> {}
            }
        }
        return sum;
    }

    /** The memory a value occupies on every device: its bytes, rounded up to whole cache lines. */
    public static long bytes(Value value) {
        return Sizes.CACHE_LINES.of(value);
    }

    private static Footprint replay(Problem problem, List<Step> steps) {
        var replay = new Replay(problem);
        for (Step step : steps) {
            switch (step) {
                case Step.Compute compute -> replay.compute(compute);
                case Step.Free(var value) -> replay.free(value, step);
            }
        }
        return replay.end();
    }

    private static final class Replay {
        private final Problem problem;

        /** What is resident, and the value in whose memory it lies. */
        private final Map<Value, Value> resident = new HashMap<>();

        private final Set<Value> kept = new HashSet<>();
        private final IdentityHashMap<Node, Integer> number = new IdentityHashMap<>();
        private final boolean[] done;
        private int lastEffect = -1;
        private long bytes;
        private long peak;
        private int computed;
        private int recomputed;

        Replay(Problem problem) {
            this.problem = problem;
            var params = problem.graph().params();
            for (int i = 0; i < params.size(); i++) {
                var p = params.get(i);
                bytes += problem.bytes(p);
                resident.put(p, p);
                if (problem.bindings().get(i) instanceof Binding.Kept) kept.add(p);
            }
            peak = bytes;
            var nodes = problem.graph().nodes();
            for (int i = 0; i < nodes.size(); i++) number.put(nodes.get(i), i);
            done = new boolean[nodes.size()];
        }

        void compute(Step.Compute step) {
            var node = step.node();
            for (Value v : node.inputs())
                require(resident.containsKey(v), v, "is not resident for", node);
            count(node);
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

        private void count(Node node) {
            Integer known = number.get(node);
            if (known == null)
                throw new IllegalArgumentException(node + " is not a node of the graph");
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

        Footprint end() {
            var graph = problem.graph();
            for (Value r : graph.results()) {
                require(
                        resident.containsKey(r),
                        r,
                        "is not resident at the end of",
                        "the schedule");
            }
            for (int i = 0; i < graph.params().size(); i++) {
                if (problem.bindings().get(i) instanceof Binding.Replaced(int r)) {
                    var result = graph.results().get(r);
                    var param = graph.params().get(i);
                    require(
                            param.equals(resident.get(result)),
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
            return new Footprint(peak, computed, recomputed);
        }

        private static void require(boolean holds, Object what, String fault, Object where) {
            if (!holds) throw new IllegalArgumentException(what + " " + fault + " " + where);
        }
    }
}
