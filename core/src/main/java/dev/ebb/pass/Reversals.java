package dev.ebb.pass;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.Control;
import dev.ebb.ir.Control.Checkpointing;
import dev.ebb.ir.Control.ReverseStart;
import dev.ebb.ir.DType;
import dev.ebb.ir.FusionLimits;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Gives every loop that is reversed the checkpoint area that a {@link CheckpointPlanner} assigns to
 * it, inner loops first. The forward loop then keeps states and tapes in this area instead of
 * stacking all its carries, and its reverse becomes a {@link Control.ReverseScan} that reads them.
 * A loop whose iterations can be inverted needs no checkpoint area: see {@link InvertedLoop}.
 */
public final class Reversals {
    private Reversals() {}

    /**
     * A loop to be reversed: its number of iterations or the largest possible number, and the bytes
     * of a state and of a tape with all values that the reverse of an iteration reads.
     *
     * @param undoable whether its iterations can be inverted
     * @param isLengthKnown whether the number of iterations is known before the loop runs
     * @param mayOffload whether it always runs all its iterations and lies in no other loop or
     *     branch: only then its states may be offloaded
     */
    public record Reversed(
            int iterations,
            boolean isLengthKnown,
            boolean undoable,
            boolean mayOffload,
            long state,
            long tape,
            ReversedIteration iteration) {

        /** The bytes of the tapes of all iterations. */
        public long allBytes() {
            return Math.max(1, iterations) * tape;
        }
    }

    /**
     * What a loop keeps for its reverse, and where.
     *
     * @param kept the values that a tape holds besides the carries; the reverse of an iteration
     *     recomputes the others that it reads
     */
    public record CheckpointPlan(CheckpointArea area, Set<Value> kept) {
        public CheckpointPlan {
            kept = Set.copyOf(kept);
        }
    }

    /**
     * Decides the checkpoint area of a loop; empty if its iterations are to be inverted instead.
     */
    @FunctionalInterface
    public interface CheckpointPlanner {
        Optional<CheckpointPlan> of(Reversed loop);
    }

    /** {@code graph} with its loops reversed in the checkpoint areas that {@code areas} assigns. */
    public static Graph within(Graph whole, CheckpointPlanner areas) {
        return within(whole, areas, true);
    }

    private static Graph within(Graph whole, CheckpointPlanner areas, boolean outermost) {
        var graph = Loops.inside(whole, body -> within(body, areas, false));
        var nodes = new ArrayList<>(graph.nodes());
        int next =
                1
                        + Stream.concat(
                                        graph.params().stream(),
                                        nodes.stream().flatMap(n -> n.outputs().stream()))
                                .mapToInt(Value::id)
                                .max()
                                .orElse(-1);
        for (var pair : LoopAndReverse.of(graph)) {
            var iteration = new ReversedIteration(pair);
            if (!iteration.mayRunAgain()) continue;
            var given = areas.of(reversed(pair, iteration, outermost));
            if (given.isEmpty()) {
                var undoing = new InvertedLoop(pair, next);
                next += undoing.values();
                nodes.set(nodes.indexOf(pair.forward()), undoing.forward());
                int at = nodes.indexOf(pair.backward());
                nodes.set(at, undoing.backward());
                nodes.add(at + 1, undoing.check());
                continue;
            }
            var halves = new TapeSplit(iteration, given.get().kept());
            var area = given.get().area();
            var left = new ArrayList<Value>();
            left.add(new Value(next++, area.type()));
            if (pair.ofUnknownLength())
                left.add(new Value(next++, new Type(DType.I64, Shape.of(area.levels()))));
            nodes.set(nodes.indexOf(pair.forward()), forward(pair, halves, area, left));
            nodes.set(nodes.indexOf(pair.backward()), reverseScan(pair, halves, area, left));
        }
        return new Graph(graph.params(), nodes, graph.results());
    }

    /**
     * Nodes to run one by one.
     *
     * @param later the nodes whose outputs may never be needed
     */
    public record Run(List<Node> nodes, Set<Node> later) {}

    /**
     * {@code nodes} for a tape, which runs them at once. Each reverse loop becomes one node that
     * also runs the forward loop, in the memory that is free when it runs. The stacks that it would
     * have read are computed only if they are needed.
     */
    public static Run alone(List<Node> nodes, FusionLimits limits) {
        if (nodes.stream().noneMatch(n -> n.kernel() instanceof Control.Scan))
            return new Run(nodes, Set.of());
        var outside = new LinkedHashSet<Value>();
        var made = new HashSet<Value>();
        for (Node node : nodes) {
            for (Value v : node.inputs()) if (!made.contains(v)) outside.add(v);
            made.addAll(node.outputs());
        }
        var graph = new Graph(List.copyOf(outside), nodes, List.of());
        var lowered = Loops.inside(graph, body -> Loops.merge(Fuse.of(Simplify.of(body), limits)));
        var run = new ArrayList<>(lowered.nodes());
        var later = new HashSet<Node>();
        for (var pair : LoopAndReverse.of(lowered)) {
            var iteration = new ReversedIteration(pair);
            if (!iteration.mayRunAgain()) continue;
            var halves = new TapeSplit(iteration, iteration.fullTape());
            var loop = reversed(pair, iteration, false);
            var area =
                    new CheckpointArea(
                            loop.allBytes(), loop.state(), loop.tape(), Integer.MAX_VALUE);
            run.set(run.indexOf(pair.backward()), reverseScan(pair, halves, area, List.of()));
            later.add(pair.forward());
        }
        return new Run(run, later);
    }

    private static Reversed reversed(
            LoopAndReverse pair, ReversedIteration iteration, boolean outermost) {
        return new Reversed(
                pair.forwardScan().times(),
                !pair.ofUnknownLength(),
                pair.forwardScan().undo().isPresent(),
                outermost && !pair.ofUnknownLength() && !pair.forwardScan().counted(),
                iteration.stateBytes(),
                iteration.tapeBytes(iteration.fullTape()),
                iteration);
    }

    private static Node forward(
            LoopAndReverse pair, TapeSplit halves, CheckpointArea area, List<Value> left) {
        var outputs = new ArrayList<>(pair.forwardResults());
        outputs.addAll(left);
        var checkpointing =
                pair.ofUnknownLength()
                        ? new Checkpointing.Online(area)
                        : new Checkpointing.Checkpoints(
                                area, halves.taping(pair.forwardScan().body().results().size()));
        var kernel = Loops.withCheckpointing(pair.forward().kernel(), checkpointing);
        var withoutInverse = kernel instanceof Control.Scan scan ? scan.withoutInverse() : kernel;
        var types = outputs.stream().map(Value::type).toList();
        var name = pair.forward().op().name() + keeping(pair.forwardScan(), area, halves.repeats());
        return pair.forward()
                .with(
                        new Lowered(
                                name,
                                withoutInverse,
                                types,
                                pair.forward().op().traits(),
                                List.of()),
                        pair.forward().inputs(),
                        outputs);
    }

    /** The text for reports that says what a loop keeps for its reverse. */
    private static String keeping(Control.Scan loop, CheckpointArea area, long repeats) {
        var again =
                repeats == 0 ? "" : ", the reverse of an iteration repeating " + repeats + " ops";
        if (area.capacity(0) >= loop.times())
            return (repeats == 0 ? " keeping all" : " keeping a tape of every iteration") + again;
        int states = Math.min(area.levels() + 1, loop.times());
        return " keeping "
                + states
                + (states == 1 ? " state" : " states")
                + (area.tapes() == 1 ? "" : " or up to " + area.capacity(0) + " tapes")
                + (area.offloaded() == 0
                        ? ""
                        : ", up to " + area.offloaded() + " states outside the arena")
                + (loop.costs().isEven() ? "" : ", iterations with declared costs")
                + again;
    }

    private static Node reverseScan(
            LoopAndReverse pair, TapeSplit halves, CheckpointArea area, List<Value> left) {
        var k = pair.forwardScan();
        var start =
                left.isEmpty()
                        ? ReverseStart.EMPTY
                        : pair.ofUnknownLength() ? ReverseStart.ONLINE : ReverseStart.CHECKPOINTED;
        var inputs = new ArrayList<Value>();
        if (k.counted()) inputs.add(pair.backward().inputs().getFirst());
        inputs.addAll(pair.forwardInputs());
        inputs.addAll(left);
        int first = pair.reverse().constants() + pair.reverse().carries();
        inputs.addAll(pair.reverseInputs().subList(0, first));
        inputs.addAll(
                pair.reverseInputs().subList(first + k.carries(), pair.reverseInputs().size()));
        var ahead = k.withBody(onlyCarries(k));
        var kernel =
                new Control.ReverseScan(
                        ahead,
                        halves.taping(k.carries()),
                        halves.tapeOnly(),
                        halves.second(),
                        area,
                        start);
        // it overwrites the checkpoint area, so it cannot run twice, unless all iterations were
        // taped before
        boolean again =
                halves.isReplayable()
                        && (start == ReverseStart.EMPTY
                                || (start == ReverseStart.CHECKPOINTED
                                        && area.capacity(0) >= k.times()));
        return Lowered.of(
                pair.backward(),
                kernel,
                inputs,
                pair.backward().outputs(),
                again ? Set.of() : Set.of(Trait.NONDETERMINISTIC));
    }

    private static Graph onlyCarries(Control.Scan k) {
        var g = new Graph.Builder();
        var here =
                g.inline(k.body(), k.body().params().stream().map(p -> g.param(p.type())).toList());
        return g.build(k.body().results().subList(0, k.carries()).stream().map(here::at).toList());
    }
}
