package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An order of computing and freeing. A schedule that exists is valid: the constructor replays it.
 */
public record Schedule(Problem problem, List<Step> steps) {

    /** Every buffer starts at a multiple of this: a cache line. */
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

    /** The memory a value occupies: its bytes, rounded up to whole cache lines. */
    public static long bytes(Value value) {
        return Math.ceilDiv(value.type().bytes(), ALIGNMENT) * ALIGNMENT;
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
        private final Set<Value> resident;
        private final Set<Node> done = new HashSet<>();
        private final Set<Value> kept = new HashSet<>();
        private final Map<Value, Value> lyingIn = new HashMap<>();
        private long bytes;
        private long peak;
        private int recomputed;

        Replay(Problem problem) {
            this.problem = problem;
            var params = problem.graph().params();
            resident = new LinkedHashSet<>(params);
            for (Value p : params) {
                bytes += Schedule.bytes(p);
                lyingIn.put(p, p);
            }
            peak = bytes;
            for (int i = 0; i < params.size(); i++) {
                if (problem.bindings().get(i) instanceof Binding.Kept) kept.add(params.get(i));
            }
        }

        void compute(Step.Compute step) {
            var node = step.node();
            for (Value v : node.inputs())
                require(resident.contains(v), v, "is not resident for", node);
            var reused = new HashMap<Value, Value>();
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
                reused.put(reuse.into(), reuse.from());
            }
            for (Value v : node.outputs()) {
                var from = reused.get(v);
                if (from != null) {
                    require(resident.remove(from), from, "is overwritten twice in", node);
                    lyingIn.put(v, lyingIn.getOrDefault(from, from));
                } else {
                    bytes += Schedule.bytes(v);
                }
                require(resident.add(v), v, "is already resident before", node);
            }
            peak = Math.max(peak, bytes);
            if (!done.add(node)) {
                recomputed++;
                var traits = node.op().traits();
                require(
                        !traits.contains(Trait.EFFECT) && !traits.contains(Trait.NONDETERMINISTIC),
                        node.outputs().getFirst(),
                        "may be computed once only, but is computed again by",
                        node);
            }
        }

        void free(Value v, Step step) {
            require(!kept.contains(v), v, "must be kept but is freed in", step);
            require(resident.remove(v), v, "is freed but not resident in", step);
            bytes -= Schedule.bytes(v);
        }

        Footprint end() {
            var graph = problem.graph();
            for (Value r : graph.results())
                require(resident.contains(r), r, "is not resident at the end of", "the schedule");
            for (int i = 0; i < graph.params().size(); i++) {
                if (problem.bindings().get(i) instanceof Binding.Replaced(int r)) {
                    var result = graph.results().get(r);
                    var place = lyingIn.get(result);
                    require(
                            graph.params().get(i).equals(place),
                            result,
                            "should end in the place of",
                            graph.params().get(i));
                }
            }
            for (Node node : graph.nodes()) {
                if (node.op().traits().contains(Trait.EFFECT)) {
                    require(
                            done.contains(node),
                            node.outputs().getFirst(),
                            "has an effect that never runs:",
                            node);
                }
            }
            return new Footprint(peak, done.size(), recomputed);
        }

        private static void require(boolean holds, Value v, String fault, Object where) {
            if (!holds) throw new IllegalArgumentException(v + " " + fault + " " + where);
        }
    }
}
