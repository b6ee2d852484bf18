package dev.ebb.plan;

import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where in one arena each buffer of a schedule lies, and how large the arena must be. */
public record Layout(Schedule schedule, List<Slot> slots, long arenaBytes) {

    /**
     * A stay of one or more values, one after the other, in memory over the steps {@code [from,
     * to)}.
     */
    public record Slot(List<Stay> stays, int from, int to, long offset, long bytes) {
        boolean overlaps(Slot other) {
            return from < other.to && other.from < to;
        }

        long end() {
            return offset + bytes;
        }
    }

    /** {@code value} lies in its slot from step {@code from} on; parameters from step -1. */
    public record Stay(Value value, int from) {}

    public Layout {
        slots = List.copyOf(slots);
    }

    /** Places large buffers first, each at the lowest offset where no living neighbour lies. */
    public static Layout of(Schedule schedule) {
        var placed = new ArrayList<Slot>();
        var open = lifetimes(schedule);
        open.sort(Comparator.comparingLong(Slot::bytes).reversed().thenComparingInt(Slot::from));
        for (Slot s : open) {
            long offset = 0;
            var neighbours =
                    placed.stream()
                            .filter(p -> p.overlaps(s))
                            .sorted(Comparator.comparingLong(Slot::offset))
                            .toList();
            for (Slot n : neighbours) {
                if (offset + s.bytes() <= n.offset()) break;
                offset = Math.max(offset, n.end());
            }
            placed.add(new Slot(s.stays(), s.from(), s.to(), offset, s.bytes()));
        }
        return new Layout(schedule, placed, placed.stream().mapToLong(Slot::end).max().orElse(0));
    }

    private static List<Slot> lifetimes(Schedule schedule) {
        var slots = new ArrayList<Slot>();
        var open = new LinkedHashMap<Value, List<Stay>>();
        for (Value p : schedule.problem().graph().params())
            open.put(p, new ArrayList<>(List.of(new Stay(p, -1))));
        var steps = schedule.steps();
        for (int i = 0; i < steps.size(); i++) {
            switch (steps.get(i)) {
                case Step.Compute(var node, var reuses) -> {
                    Map<Value, List<Stay>> taken = new HashMap<>();
                    for (var reuse : reuses) taken.put(reuse.into(), take(open, reuse.from()));
                    for (Value v : node.outputs()) {
                        var stays = taken.getOrDefault(v, new ArrayList<>());
                        stays.add(new Stay(v, i));
                        open.put(v, stays);
                    }
                }
                case Step.Free(var v) -> slots.add(close(take(open, v), i));
            }
        }
        open.values().forEach(stays -> slots.add(close(stays, steps.size())));
        return slots;
    }

    private static List<Stay> take(Map<Value, List<Stay>> open, Value v) {
        var stays = open.remove(v);
        if (stays == null) throw new IllegalStateException(v + " is not in memory");
        return stays;
    }

    private static Slot close(List<Stay> stays, int to) {
        return new Slot(
                List.copyOf(stays),
                stays.getFirst().from(),
                to,
                0,
                Schedule.bytes(stays.getFirst().value()));
    }
}
