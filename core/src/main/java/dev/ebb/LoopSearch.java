package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.ir.Graph;
import dev.ebb.loop.LoopBodies;
import dev.ebb.loop.Rooms;
import dev.ebb.pass.Reversals;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Saved;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Finds the best plan of a program with loops. Loops keep all that their reverse reads if that
 * fits, else as much as does: the search is over room for so many states, of which tapes take their
 * share, and over bounds for the memory in which the bodies of loops and branches run. What fits
 * none of the smallest is refused, with the least that one of them takes.
 */
final class LoopSearch {
    /** By such a share sums of costs may differ that are added in another order. */
    private static final double ROUNDING = 1e-9;

    private final Pipeline pipeline;
    private final Graph merged;
    private final List<Binding> bindings;
    private final Rooms rooms;
    private final LoopBodies bodies;
    private final List<Reversals.Reversed> loops = new ArrayList<>();
    private final boolean looping;
    private final Curve everything;
    private final List<Curve> smallest = new ArrayList<>();

    /** The curves so far: other rooms and bounds may come to the same graph. */
    private final Map<Graph, Curve> curves = new HashMap<>();

    LoopSearch(Pipeline pipeline, Graph merged, List<Binding> bindings) {
        this.pipeline = pipeline;
        this.merged = merged;
        this.bindings = bindings;
        rooms = pipeline.rooms();
        bodies = pipeline.bodies();
        var whole =
                Reversals.within(
                        merged,
                        loop -> {
                            loops.add(loop);
                            return rooms.room(loop, Long.MAX_VALUE);
                        });
        looping = LoopBodies.isIn(whole);
        everything = curve(whole);
    }

    /** The curve with loops in these rooms and bodies in {@code bound} bytes each. */
    private Curve curve(Reversals.Rooms given, long bound) {
        return curve(bodies.within(Reversals.within(merged, given), bound));
    }

    private Curve curve(Graph graph) {
        return curves.computeIfAbsent(graph, g -> pipeline.curve(g, bindings).or(this::smallest));
    }

    /**
     * The plans that take least: loops without any state but their first, undone or not, and loops
     * that keep all, for those that are short; with bodies as they are and as small as they can be.
     */
    private synchronized List<Curve> smallest() {
        if (!smallest.isEmpty() || !looping) return smallest;
        for (long bound : List.of(LoopBodies.UNBOUNDED, 0L)) {
            if (!loops.isEmpty()) smallest.add(curve(loop -> rooms.room(loop, 0), bound));
            if (rooms.undo(loops))
                smallest.add(curve(loop -> rooms.inMemory().room(loop, 0), bound));
            smallest.add(
                    bound == LoopBodies.UNBOUNDED
                            ? everything
                            : curve(loop -> rooms.room(loop, Long.MAX_VALUE), bound));
        }
        return smallest;
    }

    /** The best plan in {@code budget}, of which the places are this search's. */
    synchronized Plan best(Budget budget) {
        try {
            return search(budget);
        } finally {
            // what their searches found is in the cache
            curves.clear();
        }
    }

    private Plan search(Budget budget) {
        if (!looping) return pipeline.fitted(everything, budget);
        if (budget.memory() instanceof Budget.OfSaved(double share)) return saving(share);
        // a share is one of keeping everything, whatever the loops are given in the end
        var bytes = budget.resolved(everything.storeAllBytes());
        if (everything.storeAllBytes() <= bytes.resolve(0))
            return pipeline.fitted(everything, bytes);
        return inLess(bytes);
    }

    /**
     * The cheapest plan that keeps no more than this share of what would be saved if everything
     * was, rooms of loops included.
     */
    private Plan saving(double share) {
        long most = (long) (Saved.bytes(everything.problem()) * share);
        var best = pipeline.keeping(everything, most);
        if (share >= 1) return best;
        for (long states = 0; states < rooms.mostStates(loops); states += Math.max(1, states)) {
            long room = states;
            best =
                    cheaper(
                            best,
                            pipeline.keeping(
                                    curve(loop -> rooms.room(loop, room), LoopBodies.UNBOUNDED),
                                    most));
        }
        return best;
    }

    private Plan inLess(Budget bytes) {
        // the least comes first: what does not fit then fits in no other way
        var smallest = amongSmallest(bytes);
        if (smallest.isEmpty()) return least(bytes);
        var best = smallest.get();
        if (loops.isEmpty()) {
            Reversals.Rooms none = loop -> rooms.room(loop, Long.MAX_VALUE);
            return orLess(best, none, fitting(none, bytes), bytes);
        }
        long most = rooms.mostStates(loops) - 1;
        long fits = 0;
        for (var how : Bound.values()) {
            for (long low = Math.max(1, fits), high = most; low <= high; ) {
                long states = (low + high) >>> 1;
                Reversals.Rooms given = loop -> rooms.room(loop, states);
                var found = pipeline.beside(curve(given, bound(how, given, bytes)), bytes);
                if (found.isEmpty()) {
                    high = states - 1;
                    continue;
                }
                best = cheaper(best, found.get());
                fits = states;
                low = states + 1;
            }
            // room for fewer states may leave the rest of the program more than it costs the loops
            for (long states = fits / 2; how == Bound.NONE && states > 0; states /= 4) {
                long room = states;
                best = orLess(best, loop -> rooms.room(loop, room), LoopBodies.UNBOUNDED, bytes);
            }
            if (how == Bound.NONE) best = withStatesBeside(fits, best, bytes);
        }
        return best;
    }

    /** How bodies are bounded: not at all, or by as much as makes the program fit. */
    private enum Bound {
        NONE,
        FITTING
    }

    private long bound(Bound how, Reversals.Rooms given, Budget bytes) {
        return switch (how) {
            case NONE -> LoopBodies.UNBOUNDED;
            case FITTING -> fitting(given, bytes);
        };
    }

    /** What bodies may take so that the program fits with all else kept; 0 if nothing is left. */
    private long fitting(Reversals.Rooms given, Budget bytes) {
        var graph = Reversals.within(merged, given);
        long excess = curve(graph).storeAllBytes() - bytes.resolve(0);
        return excess <= 0 ? LoopBodies.UNBOUNDED : Math.max(0, bodies.largest(graph) - excess);
    }

    private Optional<Plan> amongSmallest(Budget bytes) {
        var all = smallest();
        var promising = new ArrayList<>(new LinkedHashSet<>(all));
        promising.sort(Comparator.comparingDouble(curve -> curve.atLeast(bytes.resolve(0))));
        var best = Optional.<Plan>empty();
        int last = -1;
        for (var curve : promising) {
            if (best.isPresent() && isDearer(curve, bytes, best.get())) break;
            var found = pipeline.beside(curve, bytes);
            if (found.isEmpty()) continue;
            // of two that cost the same, the one further down the list
            int at = all.lastIndexOf(curve);
            double cost = found.get().cost();
            if (best.isEmpty()
                    || cost < best.get().cost()
                    || cost == best.get().cost() && at > last) {
                best = found;
                last = at;
            }
        }
        return best;
    }

    /** Whether no plan of {@code curve} can cost as little as {@code best}: it is not searched. */
    private static boolean isDearer(Curve curve, Budget bytes, Plan best) {
        return curve.atLeast(bytes.resolve(0)) > best.cost() * (1 + ROUNDING);
    }

    /** The plan that takes least of all, which leaves workers what there is; or a refusal. */
    private Plan least(Budget bytes) {
        var curve = smallest().stream().min(Comparator.comparingLong(Curve::ownLeast));
        return pipeline.fitted(curve.orElseThrow(), bytes);
    }

    /**
     * The same with further states in a place beside the arena, where that is faster than running
     * more rounds again: as many as it has room for, or a part of them, which leaves room to other
     * values.
     */
    private Plan withStatesBeside(long states, Plan without, Budget bytes) {
        long bound = LoopBodies.UNBOUNDED;
        var best = without;
        for (var each : rooms.elsewhere(loops)) {
            best = orLess(best, loop -> rooms.room(loop, states, each), bound, bytes);
            // one state less, and one may be on its way while the loop runs on
            if (states > 0)
                best = orLess(best, loop -> rooms.moving(loop, states - 1, each), bound, bytes);
        }
        return best;
    }

    /** The plan with these rooms, if it fits and is cheaper. */
    private Plan orLess(Plan best, Reversals.Rooms given, long bound, Budget bytes) {
        // else what lies beside the arena takes too much of its place, or there is no room
        var curve = curve(given, bound);
        if (isDearer(curve, bytes, best)) return best;
        return pipeline.beside(curve, bytes).map(p -> cheaper(p, best)).orElse(best);
    }

    /** The cheaper one; of two that cost the same, the second. */
    private static Plan cheaper(Plan a, Plan b) {
        return a.cost() < b.cost() ? a : b;
    }

    /**
     * The searches for plans that were made last: another budget for the same program goes on from
     * what is known of its curves. What a search answers does not depend on what it was asked
     * before.
     */
    static final class Latest {
        /** So many programs are remembered, those asked for last. */
        private static final int MOST = 4;

        /** All that a search depends on. */
        record Key(
                Graph traced,
                List<Binding> bindings,
                Device device,
                Cost cost,
                boolean fusing,
                Ways ways,
                List<Place> places) {}

        private final Map<Key, LoopSearch> latest = new LinkedHashMap<>(8, 0.75f, true);

        synchronized LoopSearch of(Key key, Supplier<LoopSearch> made) {
            var known = latest.get(key);
            if (known != null) return known;
            var search = made.get();
            latest.put(key, search);
            var eldest = latest.keySet().iterator();
            if (latest.size() > MOST) {
                eldest.next();
                eldest.remove();
            }
            return search;
        }
    }
}
