package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.loop.ControlKernels;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.pass.Loops;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.schedule.Cost;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans what is inside loops and branches. A body runs in the workspace of its loop: given a bound
 * for that, the body is replaced by one that computes the same in no more bytes, some of its nodes
 * computed again, or in as few as there is a plan for. Each body has one curve of memory against
 * time, which equal bodies share.
 */
final class LoopBodies {
    /** Bodies are left as they are. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    /** A bound between none and the least, as a share of what bodies take as they are. */
    private static final double MIDDLE = 0.5;

    private record Key(Graph body, int outside, int carried) {}

    private record Bounded(Key key, long bytes) {}

    private final Device device;
    private final Cost cost;
    private final Map<Key, Curve> curves = new HashMap<>();
    private final Map<Bounded, Graph> planned = new HashMap<>();

    LoopBodies(Device device, Cost cost) {
        this.device = device;
        this.cost = cost;
    }

    /** {@code graph} with every body in at most {@code bytes}, or in as few as it can be. */
    Graph within(Graph graph, long bytes) {
        return bytes == UNBOUNDED ? graph : Loops.with(graph, k -> within(k, bytes));
    }

    private Control within(Control control, long bytes) {
        return ControlKernels.rewritten(
                control, (body, outside, carried) -> body(body, outside, carried, bytes));
    }

    /** Bounds that are worth trying for the loops of {@code graph}, none first, the least last. */
    List<Long> bounds(Graph graph) {
        long largest = largest(graph);
        var bounds = new ArrayList<>(List.of(UNBOUNDED));
        if (largest == 0) return bounds;
        bounds.add((long) (largest * MIDDLE));
        bounds.add(0L);
        return bounds;
    }

    /** The largest workspace of a loop or branch. */
    long largest(Graph graph) {
        long largest = 0;
        for (Node node : graph.nodes())
            if (node.kernel() instanceof Control k)
                largest = Math.max(largest, ControlKernels.workspaceBytes(k, device));
        return largest;
    }

    private synchronized Graph body(Graph body, int outside, int carried, long bytes) {
        if (body.nodes().isEmpty()) return body;
        var bounded = new Bounded(new Key(body, outside, carried), bytes);
        var known = planned.get(bounded);
        if (known == null) {
            known = found(body, outside, carried, bytes);
            planned.put(bounded, known);
        }
        return known;
    }

    private Graph found(Graph body, int outside, int carried, long bytes) {
        Optional<Graph> best = Optional.empty();
        double least = Double.POSITIVE_INFINITY;
        Graph last = body;
        for (long inner : inside(body, bytes)) {
            last = within(body, inner);
            var curve = curve(new Key(last, outside, carried));
            if (curve.storeAllBytes() <= bytes && curve.storeAllCost() < least) {
                best = Optional.of(last);
                least = curve.storeAllCost();
                continue;
            }
            var plan = bytes == 0 ? Optional.<Plan>empty() : curve.beside(bytes);
            if (plan.isPresent() && plan.get().cost() < least) {
                best = Optional.of(Scratch.remove(plan.get().schedule().asGraph()));
                least = plan.get().cost();
            }
        }
        if (best.isPresent()) return best.get();
        var curve = curve(new Key(last, outside, carried));
        var plan = curve.beside(curve.ownLeast()).orElseThrow();
        return Scratch.remove(plan.schedule().asGraph());
    }

    /** Bounds for the loops and branches inside {@code body}. */
    private static List<Long> inside(Graph body, long bytes) {
        boolean nested = body.nodes().stream().anyMatch(n -> n.kernel() instanceof Control);
        return nested ? List.of(UNBOUNDED, bytes / 2, 0L) : List.of(UNBOUNDED);
    }

    private Curve curve(Key key) {
        return curves.computeIfAbsent(
                key,
                k ->
                        Curve.ofPart(
                                ControlKernels.problem(k.body, k.outside, k.carried, device),
                                cost));
    }
}
