package dev.ebb.plan.schedule;

import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.pack.Packing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The offset of each value in one place, and the bytes the place needs. A state that starts there
 * and its next version share an offset. A loop's states occupy the place from the first run of the
 * loop to the end of its reverse.
 *
 * @param offsets where each value starts
 * @param loops where the states of each loop start, by {@link LoopStates#key}
 * @param versions the states that start there, each with its next version
 */
public record PlaceLayout(
        Place place,
        Table<Value, Long> offsets,
        Table<Value, Long> loops,
        Map<Value, Value> versions,
        long bytes) {

    /** Content of the place during the steps {@code [from, to)}: a value, or states of a loop. */
    private record Interval(List<Value> values, boolean loop, int from, int to, long bytes) {}

    /** The layout of each place of the problem, in order. */
    static List<PlaceLayout> of(Schedule schedule) {
        var places = schedule.problem().places();
        var all = new ArrayList<PlaceLayout>();
        for (int k = 0; k < places.size(); k++) all.add(of(schedule, places.get(k), k));
        return all;
    }

    private static PlaceLayout of(Schedule schedule, Place place, int number) {
        var lifetimes = new Lifetimes(place, number);
        schedule.tell(lifetimes);
        var versions = lifetimes.versions(schedule.problem());
        var lying = lifetimes.intervals(schedule, versions);
        int n = lying.size();
        var from = new int[n];
        var to = new int[n];
        var bytes = new long[n];
        for (int i = 0; i < n; i++) {
            from[i] = lying.get(i).from();
            to[i] = lying.get(i).to();
            bytes[i] = lying.get(i).bytes();
        }
        var offsets = new Table<Value, Long>();
        var loops = new Table<Value, Long>();
        if (n == 0) return new PlaceLayout(place, offsets, loops, Map.of(), 0);
        var packing = Packing.of(from, to, bytes);
        long[] found = packing.offsets();
        for (int i = 0; i < n; i++) {
            var where = lying.get(i).loop() ? loops : offsets;
            for (Value v : lying.get(i).values()) where.put(v, found[i]);
        }
        return new PlaceLayout(place, offsets, loops, versions, packing.arena());
    }

    /**
     * Collects the steps during which each value, and the states of each loop, are in one place.
     */
    private static final class Lifetimes implements ScheduleListener {
        private final Place place;
        private final int number;
        private final Map<Value, Integer> from = new LinkedHashMap<>();
        private final Map<Value, Integer> to = new LinkedHashMap<>();
        private final Map<Value, Interval> loops = new LinkedHashMap<>();

        Lifetimes(Place place, int number) {
            this.place = place;
            this.number = number;
        }

        @Override
        public void startsAway(Value param, Place home) {
            if (home.equals(place)) from.put(param, -1);
        }

        @Override
        public void offloads(int step, Value v, Place where) {
            if (where.equals(place)) from.put(v, step);
        }

        @Override
        public void fetches(int step, Value v, Place where) {
            if (where.equals(place)) to.put(v, step + 1);
        }

        @Override
        public void runs(int step, Step.Work work, Run how) {
            var loop = LoopStates.of(work.node());
            if (loop.isEmpty() || loop.get().area().place() != number) return;
            var key = loop.get().key();
            var before = loops.get(key);
            int first = before == null ? step : before.from();
            long bytes = before == null ? loop.get().bytes() : before.bytes();
            loops.put(key, new Interval(List.of(key), true, first, step + 1, bytes));
        }

        /** For each state that starts here, its next version. */
        Map<Value, Value> versions(Problem problem) {
            Map<Value, Value> versions = new LinkedHashMap<>();
            var params = problem.graph().params();
            for (int i = 0; i < params.size(); i++) {
                if (problem.bindings().get(i) instanceof Binding.Replaced(int r)
                        && from.getOrDefault(params.get(i), 0) == -1) {
                    versions.put(params.get(i), problem.graph().results().get(r));
                }
            }
            return versions;
        }

        List<Interval> intervals(Schedule schedule, Map<Value, Value> versions) {
            var problem = schedule.problem();
            int end = schedule.steps().size() + 1;
            var lasting = new LinkedHashSet<>(problem.graph().results());
            var params = problem.graph().params();
            for (int i = 0; i < params.size(); i++) {
                if (problem.bindings().get(i) instanceof Binding.Kept) lasting.add(params.get(i));
            }
            var found = new ArrayList<Interval>();
            for (var entry : from.entrySet()) {
                var v = entry.getKey();
                if (versions.containsValue(v)) continue;
                var next = versions.get(v);
                var values = next == null ? List.of(v) : List.of(v, next);
                int until = next != null || lasting.contains(v) ? end : to.getOrDefault(v, end);
                found.add(new Interval(values, false, entry.getValue(), until, problem.bytes(v)));
            }
            found.addAll(loops.values());
            return found;
        }
    }
}
