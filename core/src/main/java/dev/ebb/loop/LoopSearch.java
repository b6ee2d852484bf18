package dev.ebb.loop;

import dev.ebb.ir.Graph;
import dev.ebb.pass.Reversals;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.SavedShare;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds the best plan of a program with loops. A loop keeps everything that its reverse reads if
 * that fits, otherwise as much as does. The search is over the number of states for which each loop
 * gets a checkpoint area, shared with tapes, and over limits on the workspace of the bodies of
 * loops and branches.
 */
final class LoopSearch {
    /** The relative rounding error between costs that are summed in different orders. */
    private static final double ROUNDING = 1e-9;

    private final Graph merged;
    private final CheckpointAreas areas;
    private final LoopBodies bodies;
    private final Function<Graph, Curve> curves;
    private final List<Reversals.Reversed> loops = new ArrayList<>();
    private final boolean looping;
    private final Graph whole;
    private final Curve everything;
    private final List<Curve> smallest = new ArrayList<>();

    /**
     * @param merged the program, its loops not yet reversed
     * @param areas the checkpoint areas that its loops may get
     * @param curves the curve of time over memory for each graph that the search considers
     */
    LoopSearch(
            Graph merged, CheckpointAreas areas, LoopBodies bodies, Function<Graph, Curve> curves) {
        this.merged = merged;
        this.areas = areas;
        this.bodies = bodies;
        this.curves = curves;
        whole =
                Reversals.within(
                        merged,
                        loop -> {
                            loops.add(loop);
                            return areas.plan(loop, Long.MAX_VALUE);
                        });
        looping = LoopBodies.isIn(whole);
        everything = curve(whole);
    }

    /** The curve with these checkpoint areas and {@code bound} bytes of workspace for each body. */
    private Curve curve(Reversals.CheckpointPlanner given, long bound) {
        return curve(bodies.within(Reversals.within(merged, given), bound));
    }

    private Curve curve(Graph graph) {
        return curves.apply(graph).among(areas.used());
    }

    /** The curve of the program whose loops keep everything. */
    Curve everything() {
        return everything;
    }

    /** The bytes of keeping everything. */
    long storeAllBytes() {
        return everything.storeAllBytes();
    }

    /** The cost of computing everything once, with a checkpoint area for all iterations. */
    double storeAllCost() {
        return everything.storeAllCost();
    }

    /**
     * The curves of the smallest plans: loops that keep only their first state, inverted or not,
     * and, for short ones, loops that keep everything; with bodies as written and as small as
     * possible.
     */
    List<Curve> smallest() {
        if (!smallest.isEmpty()) return smallest;
        if (!looping) {
            smallest.add(everything);
            return smallest;
        }
        for (long bound : List.of(LoopBodies.UNBOUNDED, 0L)) {
            if (!loops.isEmpty()) smallest.add(curve(loop -> areas.plan(loop, 0), bound));
            if (areas.undo(loops))
                smallest.add(curve(loop -> areas.inMemory().plan(loop, 0), bound));
            smallest.add(
                    bound == LoopBodies.UNBOUNDED
                            ? everything
                            : curve(loop -> areas.plan(loop, Long.MAX_VALUE), bound));
        }
        return smallest;
    }

    /** The curves with checkpoint areas for 1, 2, 4, ... states. */
    List<Curve> between() {
        var all = new ArrayList<Curve>();
        for (long states = 1; states < areas.mostStates(loops); states *= 2) {
            long count = states;
            all.add(curve(loop -> areas.plan(loop, count), LoopBodies.UNBOUNDED));
        }
        return all;
    }

    /** The best plan within {@code bytes}, if there is one. */
    Optional<Plan> best(Budget bytes) {
        if (!looping || everything.storeAllBytes() <= bytes.resolve(0))
            return everything.within(bytes.resolve(0));
        // the smallest plan comes first: if it does not fit, no other does
        var least = amongSmallest(bytes);
        return least.isPresent()
                ? Optional.of(inLess(least.get(), bytes))
                : least().within(bytes.resolve(0));
    }

    /** The bytes of the smallest plan of all. */
    Plan refuse(Budget bytes) {
        return least().at(bytes);
    }

    /**
     * The cheapest plan that keeps no more than this share of the bytes that would be saved if
     * everything was kept, checkpoint areas of loops included.
     */
    Plan saving(double share) {
        if (!looping) return everything.at(Budget.ofSaved(share));
        long most = (long) (SavedShare.bytes(everything.problem()) * share);
        var best = keeping(everything, most);
        if (share >= 1) return best;
        for (long states = 0; states < areas.mostStates(loops); states += Math.max(1, states)) {
            long count = states;
            best =
                    cheaper(
                            best,
                            keeping(
                                    curve(loop -> areas.plan(loop, count), LoopBodies.UNBOUNDED),
                                    most));
        }
        return best;
    }

    private static Plan keeping(Curve curve, long bytes) {
        return curve.plan(new SavedShare.Bytes(bytes).plan(curve.problem(), curve.cost()));
    }

    private Plan inLess(Plan least, Budget bytes) {
        var best = least;
        if (loops.isEmpty()) {
            Reversals.CheckpointPlanner none = loop -> areas.plan(loop, Long.MAX_VALUE);
            return orLess(best, none, fitting(none, bytes), bytes);
        }
        long most = areas.mostStates(loops) - 1;
        long fits = 0;
        for (var how : Bound.values()) {
            for (long low = Math.max(1, fits), high = most; low <= high; ) {
                long states = (low + high) >>> 1;
                Reversals.CheckpointPlanner given = loop -> areas.plan(loop, states);
                var found = curve(given, bound(how, given, bytes)).beside(bytes.resolve(0));
                if (found.isEmpty()) {
                    high = states - 1;
                    continue;
                }
                best = cheaper(best, found.get());
                fits = states;
                low = states + 1;
            }
            // a checkpoint area for fewer states may save the rest of the program more than it
            // costs the loops
            for (long states = fits / 2; how == Bound.NONE && states > 0; states /= 4) {
                long count = states;
                best = orLess(best, loop -> areas.plan(loop, count), LoopBodies.UNBOUNDED, bytes);
            }
            if (how == Bound.NONE) best = withStatesBeside(fits, best, bytes);
        }
        return best;
    }

    /** The workspace limits of bodies: none, or the largest one with which the program fits. */
    private enum Bound {
        NONE,
        FITTING
    }

    private long bound(Bound how, Reversals.CheckpointPlanner given, Budget bytes) {
        return switch (how) {
            case NONE -> LoopBodies.UNBOUNDED;
            case FITTING -> fitting(given, bytes);
        };
    }

    /**
     * The workspace that bodies may take so that the program fits with all else kept; 0 if nothing
     * is left.
     */
    private long fitting(Reversals.CheckpointPlanner given, Budget bytes) {
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
            var found = curve.beside(bytes.resolve(0));
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

    /**
     * Whether no plan of {@code curve} can be as cheap as {@code best}: it is then not searched.
     */
    private static boolean isDearer(Curve curve, Budget bytes, Plan best) {
        return curve.atLeast(bytes.resolve(0)) > best.cost() * (1 + ROUNDING);
    }

    /** The curve of the smallest plan of all, which leaves the most memory to workers. */
    private Curve least() {
        return smallest().stream().min(Comparator.comparingLong(Curve::ownLeast)).orElseThrow();
    }

    /**
     * The same with further states offloaded, where that is faster than running more iterations
     * again: as many as the place holds, or a part of them, which leaves room for other values.
     */
    private Plan withStatesBeside(long states, Plan without, Budget bytes) {
        long bound = LoopBodies.UNBOUNDED;
        var best = without;
        for (var each : areas.elsewhere(loops)) {
            best = orLess(best, loop -> areas.plan(loop, states, each), bound, bytes);
            // one state less, so that one can be in transfer while the loop runs
            if (states > 0)
                best = orLess(best, loop -> areas.moving(loop, states - 1, each), bound, bytes);
        }
        return best;
    }

    /**
     * The plan with these checkpoint areas if it fits and is cheaper than {@code best}, otherwise
     * {@code best}.
     */
    private Plan orLess(Plan best, Reversals.CheckpointPlanner given, long bound, Budget bytes) {
        // otherwise the offloaded states take too much of the place, or do not fit
        var curve = curve(given, bound);
        if (isDearer(curve, bytes, best)) return best;
        return curve.beside(bytes.resolve(0)).map(p -> cheaper(p, best)).orElse(best);
    }

    /** The cheaper one; of two that cost the same, the second. */
    private static Plan cheaper(Plan a, Plan b) {
        return a.cost() < b.cost() ? a : b;
    }

    /** The program with checkpoint areas and workspace limits of several sizes. */
    List<TradeOff.Variant> variants() {
        if (!looping) return List.of(new TradeOff.Variant(everything, Ways.recomputing(), 0));
        var all = new ArrayList<TradeOff.Variant>();
        var inMemory = areas.inMemory();
        boolean undo = areas.undo(loops);
        long most = inMemory.mostStates(loops);
        for (long bound : bodies.bounds(whole)) {
            all.add(variant(loop -> areas.plan(loop, Long.MAX_VALUE), bound));
            for (long states = 0;
                    !loops.isEmpty() && states <= most;
                    states += Math.max(1, states)) {
                long count = states;
                all.add(variant(loop -> inMemory.plan(loop, count), bound));
                if (undo) all.add(variant(loop -> areas.plan(loop, count), bound));
                for (var each : areas.elsewhere(loops)) {
                    all.add(variant(loop -> areas.plan(loop, count, each), bound));
                    all.add(variant(loop -> areas.moving(loop, count, each), bound));
                }
            }
        }
        return all;
    }

    private TradeOff.Variant variant(Reversals.CheckpointPlanner given, long bound) {
        var needs = new ArrayList<Way>();
        var undone = new long[1];
        var curve =
                curve(
                        loop -> {
                            var plan = given.of(loop);
                            if (plan.isEmpty()) {
                                needs.add(Way.INVERSES);
                                undone[0] += loop.iterations();
                            } else if (plan.get().area().offloaded() > 0) {
                                needs.add(areas.places().get(plan.get().area().place()).way());
                            }
                            return plan;
                        },
                        bound);
        return new TradeOff.Variant(curve, Ways.of(needs.toArray(Way[]::new)), undone[0]);
    }
}
