package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A second opinion on schedules and layouts, written to share nothing with them: it runs a schedule
 * on a toy memory in which every byte range remembers which value was last written to it.
 */
final class Checker {
    private Checker() {}

    record Verdict(long peak, double cost) {}

    static Verdict check(Layout layout, Cost cost) {
        var problem = layout.schedule().problem();
        Map<Value, long[]> places = new HashMap<>();
        var slots = new HashMap<Value, List<Layout.Slot>>();
        for (var slot : layout.slots()) {
            for (var stay : slot.stays())
                slots.computeIfAbsent(stay.value(), _ -> new ArrayList<>()).add(slot);
        }
        long live = 0;
        for (Value p : problem.graph().params()) {
            places.put(p, place(slots, p, -1));
            live += problem.bytes(p);
        }
        long peak = live;
        double total = 0;
        var once = new HashSet<String>();
        var steps = layout.schedule().steps();
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i) instanceof Step.Free(var v)) {
                if (places.remove(v) == null)
                    throw new AssertionError("step " + i + " frees nothing");
                live -= problem.bytes(v);
            } else if (steps.get(i) instanceof Step.Compute(Node node, var reuses)) {
                for (Value x : node.inputs()) {
                    if (!places.containsKey(x))
                        throw new AssertionError("step " + i + " misses " + x + " for " + node);
                }
                var traits = node.op().traits();
                boolean single =
                        traits.contains(Trait.EFFECT) || traits.contains(Trait.NONDETERMINISTIC);
                if (!once.add(node.toString()) && single)
                    throw new AssertionError(node + " runs twice");
                for (var reuse : reuses) {
                    places.remove(reuse.from());
                    live -= problem.bytes(reuse.from());
                }
                for (Value o : node.outputs()) {
                    var mine = place(slots, o, i);
                    places.forEach(
                            (other, theirs) -> {
                                if (mine[0] < theirs[1] && theirs[0] < mine[1]) {
                                    throw new AssertionError(
                                            o + " is written over the living " + other);
                                }
                            });
                    if (mine[1] > layout.arenaBytes())
                        throw new AssertionError(o + " lies outside");
                    places.put(o, mine);
                    live += problem.bytes(o);
                }
                peak = Math.max(peak, live);
                total += cost.of(node);
            }
        }
        var graph = problem.graph();
        for (Value r : graph.results())
            if (!places.containsKey(r)) throw new AssertionError(r + " is missing at the end");
        for (int p = 0; p < graph.params().size(); p++) {
            var param = graph.params().get(p);
            long home = place(slots, param, -1)[0];
            switch (problem.bindings().get(p)) {
                case Binding.Kept _ -> {
                    if (!places.containsKey(param))
                        throw new AssertionError(param + " was not kept");
                }
                case Binding.Consumed _ -> {}
                case Binding.Replaced(int r) -> {
                    if (Objects.requireNonNull(places.get(graph.results().get(r)))[0] != home)
                        throw new AssertionError("not in place: " + param);
                }
            }
        }
        return new Verdict(peak, total);
    }

    private static long[] place(Map<Value, List<Layout.Slot>> slots, Value v, int step) {
        for (var slot : slots.getOrDefault(v, List.of())) {
            for (var stay : slot.stays()) {
                if (stay.value().equals(v) && stay.from() == step) {
                    return new long[] {slot.offset(), slot.offset() + slot.bytes()};
                }
            }
        }
        throw new AssertionError(v + " has no place at step " + step);
    }
}
