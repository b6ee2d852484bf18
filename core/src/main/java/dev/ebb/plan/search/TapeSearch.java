package dev.ebb.plan.search;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Table;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Sizes;
import dev.ebb.plan.schedule.Step;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds the values of a loop's iteration that are best kept on tape for the reverse of that
 * iteration. The iteration and its reverse are one graph; a barrier between the two halves takes
 * more memory than anything else, so that the peak of a plan is the barrier plus the values kept
 * across it. The plans of that problem are then the best sets of values to keep, for each number of
 * bytes.
 */
public final class TapeSearch {
    private final Graph graph;
    private final List<Value> forwardParams;
    private final List<Value> forwardResults;
    private final Predicate<Node> early;
    private final Predicate<Value> held;

    /**
     * @param graph the iteration, then its reverse
     * @param forwardParams the first params, which the iteration reads
     * @param forwardResults the results of the iteration
     * @param early selects the nodes that depend on nothing else
     * @param held selects the values that must be kept to be read later: carries, and values that
     *     depend on carries and slices
     */
    public TapeSearch(
            Graph graph,
            List<Value> forwardParams,
            List<Value> forwardResults,
            Predicate<Node> early,
            Predicate<Value> held) {
        this.graph = graph;
        this.forwardParams = forwardParams;
        this.forwardResults = forwardResults;
        this.early = early;
        this.held = held;
    }

    /** The sets of values to keep that no other beats in bytes and in time, largest first. */
    public List<Set<Value>> tapes(Cost cost, SearchCache cache) {
        var problem = problem();
        Cost costs = node -> isFree(node) ? 0 : cost.of(node);
        var found = new LinkedHashSet<Set<Value>>();
        var families = new PlanFamilies(problem, costs, SearchEffort.PART, cache);
        for (var frontier : families.of(Ways.recomputing()))
            for (var member : frontier.all()) found.add(across(problem, member.schedule().steps()));
        return List.copyOf(found);
    }

    /** The values that {@code planner} keeps from the iteration to its reverse. */
    public Set<Value> kept(Function<Problem, Schedule> planner) {
        var problem = problem();
        return across(problem, planner.apply(problem).steps());
    }

    /** Values that depend on constants alone are computed in both halves. */
    private boolean isFree(Node node) {
        return node.op() instanceof Barrier
                || early.test(node) && node.outputs().stream().noneMatch(held);
    }

    private Problem problem() {
        var later = graph.params().subList(forwardParams.size(), graph.params().size());
        int next = 0;
        for (Value p : graph.params()) next = Math.max(next, p.id() + 1);
        long all = 0;
        for (Node node : graph.nodes()) {
            for (Value v : node.outputs()) {
                next = Math.max(next, v.id() + 1);
                if (held.test(v)) all += Sizes.CACHE_LINES.of(v);
            }
        }
        var reads = new ArrayList<>(forwardResults);
        reads.addAll(later);
        var behind = new Table<Value, Value>();
        var outputs = new ArrayList<Value>();
        for (Value p : later) {
            var copy = new Value(next++, p.type());
            outputs.add(copy);
            behind.put(p, copy);
        }
        var wall = new Value(next, new Type(DType.U8, Shape.of(1)));
        outputs.add(wall);
        var op = new Barrier(outputs.stream().map(Value::type).toList());
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) if (early.test(node)) nodes.add(node.inHalf(false));
        nodes.add(new Node(op, reads, outputs, Region.TOP, false));
        for (Node node : graph.nodes()) {
            if (early.test(node)) continue;
            var inputs = node.inputs().stream().map(v -> behind.find(v).orElse(v)).toList();
            nodes.add(node.on(inputs, node.outputs()).inHalf(true));
        }
        var results =
                graph.results().subList(forwardResults.size(), graph.results().size()).stream()
                        .map(v -> behind.find(v).orElse(v))
                        .toList();
        long height = all;
        Sizes sizes = v -> v.equals(wall) ? height : held.test(v) ? Sizes.CACHE_LINES.of(v) : 0;
        return new Problem(
                new Graph(graph.params(), nodes, results),
                Collections.nCopies(graph.params().size(), new Binding.Consumed()),
                sizes);
    }

    /** The values read after the barrier and not computed after it. */
    private Set<Value> across(Problem problem, List<Step> steps) {
        var kept = new LinkedHashSet<Value>();
        var made = new HashSet<Value>();
        boolean behind = false;
        for (Step step : steps) {
            if (!(step instanceof Step.Work work)) continue;
            if (work.node().op() instanceof Barrier) {
                behind = true;
            } else if (behind) {
                for (Value v : work.node().inputs()) if (!made.contains(v)) kept.add(v);
                made.addAll(work.node().outputs());
            }
        }
        for (Value v : problem.graph().results()) if (!made.contains(v)) kept.add(v);
        kept.removeIf(v -> !held.test(v) || forwardParams.contains(v));
        return kept;
    }

    /** The barrier between the halves; the inputs of the reverse pass through it. */
    private record Barrier(List<Type> types) implements Op {
        @Override
        public String name() {
            return "barrier";
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            return types;
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            return new Nothing();
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new IllegalStateException("a barrier is put between halves that exist");
        }

        @Override
        public Set<Trait> traits() {
            return Set.of(Trait.EFFECT);
        }
    }

    private record Nothing() implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 0;
        }

        @Override
        public void run(List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
            throw new IllegalStateException("a barrier is planned around and never run");
        }
    }
}
