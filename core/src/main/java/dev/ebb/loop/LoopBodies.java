package dev.ebb.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.loop.ControlKernels;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.pass.Loops;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans the bodies of loops and branches. A body runs in the workspace of its loop. Given a limit
 * on that workspace, the body is replaced by one that computes the same within the limit, or within
 * the smallest possible workspace, by recomputing some values or rebuilding them by exact inverses.
 * Each body has one curve of memory against time, which equal bodies share.
 */
final class LoopBodies {
    /** Bodies are not changed. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    private record Key(Graph body, int outside, int carried) {}

    private record Bounded(Key key, long bytes) {}

    private final Device device;
    private final Cost cost;
    private final Ways ways;
    private final SearchCache cache;
    private final Map<Key, Curve> curves = new HashMap<>();
    private final Map<Bounded, Graph> planned = new HashMap<>();

    /**
     * @param ways the ways to restore values; bodies use only exact inverses
     */
    LoopBodies(Device device, Cost cost, Ways ways, SearchCache cache) {
        this.ways = ways.and(Ways.of(Way.INVERSES));
        this.cache = cache;
        this.device = device;
        this.cost = cost;
    }

    /**
     * {@code graph} with every body in at most {@code bytes} of workspace, or in the smallest
     * possible.
     */
    Graph within(Graph graph, long bytes) {
        return bytes == UNBOUNDED ? graph : Loops.with(graph, k -> within(k, bytes));
    }

    private Control within(Control control, long bytes) {
        return ControlKernels.rewritten(
                control, (body, outside, carried) -> body(body, outside, carried, bytes));
    }

    /** Whether there is a loop or branch in {@code graph}. */
    static boolean isIn(Graph graph) {
        return graph.nodes().stream().anyMatch(n -> n.kernel() instanceof Control);
    }

    /** The workspace of the largest body in {@code graph}, as written. */
    synchronized long largest(Graph graph) {
        var largest = new long[1];
        for (Node node : graph.nodes()) {
            if (!(node.kernel() instanceof Control k)) continue;
            ControlKernels.rewritten(
                    k,
                    (body, outside, carried) -> {
                        long bytes = curve(new Key(body, outside, carried)).storeAllBytes();
                        largest[0] = Math.max(largest[0], bytes);
                        return body;
                    });
        }
        return largest[0];
    }

    /**
     * Workspace limits for a curve of all budgets: none, half of what the bodies take as written,
     * the smallest possible.
     */
    List<Long> bounds(Graph graph) {
        return isIn(graph) ? List.of(UNBOUNDED, largest(graph) / 2, 0L) : List.of(UNBOUNDED);
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

    /** Workspace limits for the loops and branches inside {@code body}. */
    private static List<Long> inside(Graph body, long bytes) {
        return isIn(body) ? List.of(UNBOUNDED, bytes / 2, 0L) : List.of(UNBOUNDED);
    }

    private Curve curve(Key key) {
        return curves.computeIfAbsent(key, k -> Curve.ofPart(problem(k), cost, cache));
    }

    private Problem problem(Key key) {
        var plain = ControlKernels.problem(key.body, key.outside, key.carried, device);
        return plain.inverting(Scratch.inversions(plain.graph(), device)).only(ways);
    }
}
