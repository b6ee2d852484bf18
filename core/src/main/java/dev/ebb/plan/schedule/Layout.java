package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.pack.Packing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where in one arena each buffer of a schedule lies, and how large the arena must be; and where on
 * the disk what is put there.
 */
public record Layout(Schedule schedule, List<Slot> slots, long arenaBytes, DiskLayout shelves) {

    /**
     * A stay of one or more values, one after the other, in memory over the steps {@code [from,
     * to)}.
     */
    public record Slot(List<Stay> stays, int from, int to, long offset, long bytes) {
        public Slot {
            stays = List.copyOf(stays);
        }

        long end() {
            return offset + bytes;
        }
    }

    /** {@code value} lies in its slot from step {@code from} on; parameters from step -1. */
    public record Stay(Value value, int from) {}

    public Layout {
        slots = List.copyOf(slots);
        check(slots, arenaBytes);
    }

    /** Lays a schedule out in as small an arena as {@link Packing} finds. */
    public static Layout of(Schedule schedule) {
        return of(schedule, SearchCache.NONE);
    }

    /** The same, where packings may be known already. */
    public static Layout of(Schedule schedule, SearchCache cache) {
        var open = lifetimes(schedule);
        int n = open.size();
        var from = new int[n];
        var to = new int[n];
        var bytes = new long[n];
        for (int i = 0; i < n; i++) {
            from[i] = open.get(i).from();
            to[i] = open.get(i).to();
            bytes[i] = open.get(i).bytes();
        }
        var packing = CachedPacking.of(from, to, bytes, cache);
        long[] offsets = packing.offsets();
        var slots = new ArrayList<Slot>(n);
        for (int i = 0; i < n; i++) {
            slots.add(new Slot(open.get(i).stays(), from[i], to[i], offsets[i], bytes[i]));
        }
        return new Layout(schedule, slots, packing.arena(), DiskLayout.of(schedule));
    }

    /** What a schedule has on the disk at most, as {@link #of} lays it out. */
    public static long diskBytes(Schedule schedule) {
        return DiskLayout.of(schedule).bytes();
    }

    /** Each buffer in a place of its own: for a schedule that is looked at and never run. */
    public static Layout apart(Schedule schedule) {
        var slots = new ArrayList<Slot>();
        long end = 0;
        for (var open : lifetimes(schedule)) {
            slots.add(new Slot(open.stays(), open.from(), open.to(), end, open.bytes()));
            end += open.bytes();
        }
        return new Layout(schedule, slots, end, DiskLayout.of(schedule));
    }

    private static List<Slot> lifetimes(Schedule schedule) {
        var problem = schedule.problem();
        var slots = new ArrayList<Slot>();
        Map<Value, List<Stay>> open = new LinkedHashMap<>();
        var away = schedule.away();
        for (Value p : problem.graph().params())
            if (!away.contains(p)) open.put(p, new ArrayList<>(List.of(new Stay(p, -1))));
        var steps = schedule.steps();
        for (int i = 0; i < steps.size(); i++) {
            switch (steps.get(i)) {
                case Step.Work work -> {
                    Map<Value, List<Stay>> taken = new LinkedHashMap<>();
                    for (var reuse : work.reuses())
                        taken.put(reuse.into(), take(open, reuse.from()));
                    for (Value v : work.node().outputs()) {
                        var stays = taken.getOrDefault(v, new ArrayList<>());
                        stays.add(new Stay(v, i));
                        open.put(v, stays);
                    }
                }
                case Step.Fetch(var v) -> open.put(v, new ArrayList<>(List.of(new Stay(v, i))));
                case Step.Free(var v) -> slots.add(close(problem, take(open, v), i));
                case Step.Offload _ -> {}
            }
        }
        open.values().forEach(stays -> slots.add(close(problem, stays, steps.size())));
        return slots;
    }

    private static List<Stay> take(Map<Value, List<Stay>> open, Value v) {
        var stays = open.remove(v);
        if (stays == null) throw new IllegalStateException(v + " is not in memory");
        return stays;
    }

    private static Slot close(Problem problem, List<Stay> stays, int to) {
        return new Slot(
                stays, stays.getFirst().from(), to, 0, problem.bytes(stays.getFirst().value()));
    }

    /**
     * Sweeps over time and refuses two living buffers that share a byte, or one outside the arena.
     */
    private static void check(List<Slot> slots, long arenaBytes) {
        var byStart =
                slots.stream()
                        .filter(s -> s.bytes() > 0)
                        .sorted(Comparator.comparingInt(Slot::from))
                        .toList();
        var byEnd = byStart.stream().sorted(Comparator.comparingInt(Slot::to)).toList();
        var living = new TreeMap<Long, Slot>();
        int ended = 0;
        for (Slot s : byStart) {
            while (byEnd.get(ended).to() <= s.from()) living.remove(byEnd.get(ended++).offset());
            var below = living.floorEntry(s.end() - 1);
            if (below != null && below.getValue().end() > s.offset()) {
                throw new IllegalArgumentException(
                        s + " and " + below.getValue() + " share memory while both live");
            }
            if (s.offset() < 0 || s.end() > arenaBytes) {
                throw new IllegalArgumentException(
                        s + " lies outside an arena of " + arenaBytes + " bytes");
            }
            living.put(s.offset(), s);
        }
    }
}
