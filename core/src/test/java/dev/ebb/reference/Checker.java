package dev.ebb.reference;

import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Step;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A second opinion on schedules and layouts. It reads the data of a plan and calls none of the
 * planner's code: it replays every step on a toy memory and on toy places beside it, in which every
 * range of bytes remembers whose it is, and counts bytes by itself.
 */
public final class Checker {
    private static final long LINE = 64;

    /**
     * What was found.
     *
     * @param peak the most bytes of living values at once
     * @param end the end of the highest byte of the arena that a living value had
     * @param beside the end of the highest byte that a value had in each place
     */
    public record Verdict(long peak, long end, Map<Place, Long> beside, double cost) {}

    private final Layout layout;
    private final Cost cost;
    private final boolean lines;
    private final Map<Layout.Stay, Layout.Slot> slots = new HashMap<>();
    private final Map<Value, long[]> places = new HashMap<>();
    private final Map<Place, Map<Value, long[]>> shelved = new HashMap<>();
    private final Map<Value, Place> began = new HashMap<>();
    private final Set<Node> ran = new HashSet<>();
    private long live;
    private long peak;
    private long end;
    private final Map<Place, Long> beside = new HashMap<>();
    private double total;

    private Checker(Layout layout, Cost cost, boolean lines) {
        this.layout = layout;
        this.cost = cost;
        this.lines = lines;
        for (var slot : layout.slots()) for (var stay : slot.stays()) slots.put(stay, slot);
    }

    /** Replays a plan whose values take whole lines of 64 bytes. */
    public static Verdict check(Layout layout, Cost cost) {
        return new Checker(layout, cost, true).replay();
    }

    /** The same for a problem that says itself what each value takes. */
    public static Verdict checkSizes(Layout layout, Cost cost) {
        return new Checker(layout, cost, false).replay();
    }

    private long bytes(Value v) {
        if (!lines) return layout.schedule().problem().sizes().of(v);
        long bits = v.type().dtype().bytes(8);
        for (int dim : v.type().shape().dims()) bits *= dim;
        long whole = (bits + 7) / 8;
        return (whole + LINE - 1) / LINE * LINE;
    }

    private Verdict replay() {
        var graph = layout.schedule().problem().graph();
        for (Value p : graph.params()) {
            if (slots.containsKey(new Layout.Stay(p, -1))) enter(p, -1);
            else shelve(p, start(p), -1);
        }
        peak = live;
        var steps = layout.schedule().steps();
        for (int i = 0; i < steps.size(); i++) {
            switch (steps.get(i)) {
                case Step.Compute(var node, var reuses) -> {
                    if (!ran.add(node) && Trait.once(node.op().traits()))
                        throw fault(i, node + " runs twice");
                    work(i, node, reuses);
                }
                case Step.Invert(var inversion, var reuses) -> {
                    if (!ran.contains(inversion.undone()))
                        throw fault(i, inversion.undone() + " is undone before it ran");
                    work(i, inversion.node(), reuses);
                }
                case Step.Free(var v) -> leave(v, i);
                case Step.Offload(var v, var place) -> {
                    if (!places.containsKey(v)) throw fault(i, v + " is not there to offload");
                    shelve(v, place, i);
                }
                case Step.Fetch(var v, var place) -> {
                    if (!in(place).containsKey(v)) throw fault(i, v + " is not in " + place);
                    enter(v, i);
                }
            }
            peak = Math.max(peak, live);
        }
        atTheEnd();
        return new Verdict(peak, end, beside, total);
    }

    private void work(int i, Node node, List<Step.Reuse> reuses) {
        for (Value x : node.inputs())
            if (!places.containsKey(x)) throw fault(i, node + " misses " + x);
        for (var reuse : reuses) {
            long[] from = leave(reuse.from(), i);
            if (place(reuse.into(), i)[0] != from[0])
                throw fault(i, reuse.into() + " is not where " + reuse.from() + " was");
        }
        for (Value o : node.outputs()) enter(o, i);
        total += cost.of(node);
    }

    private void enter(Value v, int step) {
        var mine = place(v, step);
        if (mine[0] < 0 || mine[1] > layout.arenaBytes()) throw fault(step, v + " lies outside");
        apart(v, mine, places, step, "memory");
        if (places.put(v, mine) != null) throw fault(step, v + " is there twice");
        live += bytes(v);
        end = Math.max(end, mine[1]);
    }

    private long[] leave(Value v, int step) {
        var place = places.remove(v);
        if (place == null) throw fault(step, v + " is not there");
        live -= bytes(v);
        return place;
    }

    private Map<Value, long[]> in(Place place) {
        return shelved.computeIfAbsent(place, _ -> new HashMap<>());
    }

    /**
     * Where a parameter must lie that is not in the arena at the start: it is fetched from there.
     */
    private Place start(Value p) {
        for (var step : layout.schedule().steps())
            if (step instanceof Step.Fetch(var v, var place) && v.equals(p)) return place;
        throw fault(-1, p + " is nowhere");
    }

    /** What lay there before is gone. */
    private void shelve(Value v, Place place, int step) {
        var all = layout.schedule().problem().places();
        if (!all.contains(place)) throw fault(step, place + " is no place of the problem");
        var there = layout.places().get(all.indexOf(place));
        long offset = there.offsets().at(v);
        var mine = new long[] {offset, offset + bytes(v)};
        if (mine[1] > there.bytes() || mine[1] > place.bytes())
            throw fault(step, v + " lies outside " + place);
        in(place).values().removeIf(other -> mine[0] < other[1] && other[0] < mine[1]);
        in(place).put(v, mine);
        if (step < 0) began.put(v, place);
        beside.merge(place, mine[1], Math::max);
    }

    private void apart(Value v, long[] mine, Map<Value, long[]> all, int step, String what) {
        all.forEach(
                (other, theirs) -> {
                    if (mine[0] < theirs[1] && theirs[0] < mine[1])
                        throw fault(step, v + " shares " + what + " with the living " + other);
                });
    }

    private void atTheEnd() {
        int last = layout.schedule().steps().size();
        var problem = layout.schedule().problem();
        var graph = problem.graph();
        for (Value r : graph.results()) {
            if (!places.containsKey(r)
                    && shelved.values().stream().noneMatch(there -> there.containsKey(r)))
                throw fault(last, r + " is missing at the end");
        }
        for (int p = 0; p < graph.params().size(); p++) {
            var param = graph.params().get(p);
            switch (problem.bindings().get(p)) {
                case Binding.Kept _ -> at(param, param, last);
                case Binding.Consumed _ -> {}
                case Binding.Replaced(int r) -> at(param, graph.results().get(r), last);
            }
        }
    }

    /** {@code now} lies where {@code param} began, for the next run. */
    private void at(Value param, Value now, int last) {
        var away = began.get(param);
        var there = away == null ? places.get(now) : in(away).get(now);
        long home =
                away == null
                        ? place(param, -1)[0]
                        : layout.places()
                                .get(layout.schedule().problem().places().indexOf(away))
                                .offsets()
                                .at(param);
        if (there == null || there[0] != home)
            throw fault(last, now + " is not where " + param + " began");
    }

    private long[] place(Value v, int step) {
        var slot = slots.get(new Layout.Stay(v, step));
        if (slot == null) throw fault(step, v + " has no place");
        if (slot.bytes() < bytes(v)) throw fault(step, v + " has too small a place");
        return new long[] {slot.offset(), slot.offset() + bytes(v)};
    }

    private static AssertionError fault(int step, String what) {
        return new AssertionError("step " + step + ": " + what);
    }
}
