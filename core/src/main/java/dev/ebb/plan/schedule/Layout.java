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
 * The offset of each buffer of a schedule in one arena, and the size of the arena; and the same for
 * each place outside the arena.
 */
public record Layout(
        Schedule schedule, List<Slot> slots, long arenaBytes, List<PlaceLayout> places) {

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

    /** {@code value} is in its slot from step {@code from} on; parameters from step -1. */
    public record Stay(Value value, int from) {}

    public Layout {
        slots = List.copyOf(slots);
        places = List.copyOf(places);
        check(slots, arenaBytes);
    }

    /** The bytes outside the arena, in all places together. */
    public long offloadedBytes() {
        return places.stream().mapToLong(PlaceLayout::bytes).sum();
    }

    /** Whether no place holds more than its capacity; found without a layout of the arena. */
    public static boolean fitsPlaces(Schedule schedule) {
        return PlaceLayout.of(schedule).stream().allMatch(p -> p.bytes() <= p.place().bytes());
    }

    /** Lays a schedule out in as small an arena as {@link Packing} finds. */
    public static Layout of(Schedule schedule) {
        return of(schedule, SearchCache.NONE);
    }

    /** The same with a cache of packings. */
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
        return new Layout(schedule, slots, packing.arena(), PlaceLayout.of(schedule));
    }

    /**
     * A layout in which no buffers share memory, for a schedule that is only inspected and never
     * run.
     */
    public static Layout apart(Schedule schedule) {
        var slots = new ArrayList<Slot>();
        long end = 0;
        for (var open : lifetimes(schedule)) {
            slots.add(new Slot(open.stays(), open.from(), open.to(), end, open.bytes()));
            end += open.bytes();
        }
        return new Layout(schedule, slots, end, PlaceLayout.of(schedule));
    }

    private static List<Slot> lifetimes(Schedule schedule) {
        var lifetimes = new Lifetimes(schedule.problem());
        schedule.tell(lifetimes);
        for (Value v : List.copyOf(lifetimes.open.keySet()))
            lifetimes.frees(schedule.steps().size(), v);
        return lifetimes.slots;
    }

    /**
     * Collects the values that are one after the other in memory that is allocated once and freed
     * once.
     */
    private static final class Lifetimes implements ScheduleListener {
        private final Problem problem;
        private final List<Slot> slots = new ArrayList<>();
        private final Map<Value, List<Stay>> open = new LinkedHashMap<>();

        Lifetimes(Problem problem) {
            this.problem = problem;
        }

        @Override
        public void starts(Value param) {
            enters(-1, param);
        }

        @Override
        public void enters(int step, Value v) {
            open.put(v, new ArrayList<>(List.of(new Stay(v, step))));
        }

        @Override
        public void overwrites(int step, Value from, Value into) {
            var stays = take(from);
            stays.add(new Stay(into, step));
            open.put(into, stays);
        }

        @Override
        public void frees(int step, Value v) {
            var stays = take(v);
            var first = stays.getFirst();
            slots.add(new Slot(stays, first.from(), step, 0, problem.bytes(first.value())));
        }

        private List<Stay> take(Value v) {
            var stays = open.remove(v);
            if (stays == null) throw new IllegalStateException(v + " is not in memory");
            return stays;
        }
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
