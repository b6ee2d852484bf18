package dev.ebb.exec.program;

import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Layout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Layouts of programs that run in turn in one arena and share parameters, such as states and
 * weights. The shared parameters come first, in the same order for all programs; the temporary
 * memory of each program comes after them.
 */
public final class SharedLayout {
    private SharedLayout() {}

    /**
     * {@code layouts} with shared parameters in the same places. {@code shared} has the number of
     * the shared parameter, from zero on, for each parameter of each layout; -1 for a parameter
     * that is passed in for each run.
     */
    public static List<Layout> of(List<Layout> layouts, List<List<Integer>> shared) {
        var bytes = new TreeMap<Integer, Long>();
        var kept = new ArrayList<Map<Layout.Slot, Integer>>();
        for (int i = 0; i < layouts.size(); i++) {
            var own = lasting(layouts.get(i), shared.get(i));
            own.forEach((slot, number) -> bytes.merge(number, slot.bytes(), Math::max));
            kept.add(own);
        }
        var offsets = new HashMap<Integer, Long>();
        long end = 0;
        for (var entry : bytes.entrySet()) {
            offsets.put(entry.getKey(), end);
            end += entry.getValue();
        }
        var moved = new ArrayList<Layout>();
        for (int i = 0; i < layouts.size(); i++)
            moved.add(moved(layouts.get(i), kept.get(i), offsets, end));
        return moved;
    }

    /** The slots of shared parameters. */
    private static Map<Layout.Slot, Integer> lasting(Layout layout, List<Integer> shared) {
        var params = layout.schedule().problem().graph().params();
        var numbers = new HashMap<Value, Integer>();
        for (int i = 0; i < params.size(); i++)
            if (shared.get(i) >= 0) numbers.put(params.get(i), shared.get(i));
        var found = new HashMap<Layout.Slot, Integer>();
        for (var slot : layout.slots()) {
            var number = numbers.get(slot.stays().getFirst().value());
            if (number != null
                    && slot.from() == -1
                    && slot.to() == layout.schedule().steps().size()) found.put(slot, number);
        }
        if (found.size() != numbers.size()) {
            throw new IllegalArgumentException(
                    (numbers.size() - found.size())
                            + " states or weights are offloaded to a disk during a step, but steps"
                            + " for several kinds of input share only states in the arena; give"
                            + " them a budget without a disk");
        }
        return found;
    }

    private static Layout moved(
            Layout layout, Map<Layout.Slot, Integer> kept, Map<Integer, Long> offsets, long end) {
        var slots = new ArrayList<Layout.Slot>();
        for (var slot : layout.slots()) {
            var number = kept.get(slot);
            long at =
                    number != null
                            ? Objects.requireNonNull(offsets.get(number), "an offset")
                            : end + slot.offset() - below(slot.offset(), kept);
            slots.add(new Layout.Slot(slot.stays(), slot.from(), slot.to(), at, slot.bytes()));
        }
        long arena = end + layout.arenaBytes() - below(layout.arenaBytes(), kept);
        return new Layout(layout.schedule(), slots, arena, layout.places());
    }

    /** The bytes of slots of shared parameters below {@code offset}. */
    private static long below(long offset, Map<Layout.Slot, Integer> kept) {
        long sum = 0;
        for (var slot : kept.keySet()) if (slot.offset() < offset) sum += slot.bytes();
        return sum;
    }
}
