package dev.ebb.plan.schedule;

import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.pack.Packing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where on the disk each value lies that a schedule puts there, and how much room that takes. A
 * state that starts there and its next version share a place. A loop keeps its states there from
 * its first run to the end of its reverse.
 *
 * @param offsets where each value starts
 * @param loops where the states of each loop start, by {@link LoopStates#key}
 * @param versions the states that start there, each with its next version
 */
public record DiskLayout(
        Table<Value, Long> offsets,
        Table<Value, Long> loops,
        Map<Value, Value> versions,
        long bytes) {

    /** What is on the disk over the steps {@code [from, to)}: a value, or states of a loop. */
    private record Lying(List<Value> values, boolean loop, int from, int to, long bytes) {}

    static DiskLayout of(Schedule schedule) {
        var lying = lifetimes(schedule);
        lying.addAll(loops(schedule));
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
        if (n == 0) return new DiskLayout(offsets, loops, Map.of(), 0);
        var packing = Packing.of(from, to, bytes);
        long[] found = packing.offsets();
        for (int i = 0; i < n; i++) {
            var where = lying.get(i).loop() ? loops : offsets;
            for (Value v : lying.get(i).values()) where.put(v, found[i]);
        }
        var versions = shared(schedule.problem(), schedule.away());
        return new DiskLayout(offsets, loops, versions, packing.arena());
    }

    private static List<Lying> loops(Schedule schedule) {
        Map<Value, Lying> found = new LinkedHashMap<>();
        var steps = schedule.steps();
        for (int i = 0; i < steps.size(); i++) {
            if (!(steps.get(i) instanceof Step.Work work)) continue;
            var loop = LoopStates.of(work.node());
            if (loop.isEmpty()) continue;
            var key = loop.get().key();
            var before = found.get(key);
            int from = before == null ? i : before.from();
            long bytes = before == null ? loop.get().bytes() : before.bytes();
            found.put(key, new Lying(List.of(key), true, from, i + 1, bytes));
        }
        return List.copyOf(found.values());
    }

    private static List<Lying> lifetimes(Schedule schedule) {
        var problem = schedule.problem();
        var away = schedule.away();
        Map<Value, Integer> from = new LinkedHashMap<>();
        Map<Value, Integer> to = new LinkedHashMap<>();
        for (Value p : away) from.put(p, -1);
        var steps = schedule.steps();
        for (int i = 0; i < steps.size(); i++) {
            switch (steps.get(i)) {
                case Step.Offload(var v) -> from.put(v, i);
                case Step.Fetch(var v) -> to.put(v, i + 1);
                case Step.Work _, Step.Free _ -> {}
            }
        }
        var end = steps.size() + 1;
        var found = new ArrayList<Lying>();
        var shared = shared(problem, away);
        var lasting = new LinkedHashSet<>(problem.graph().results());
        var params = problem.graph().params();
        for (int i = 0; i < params.size(); i++) {
            if (problem.bindings().get(i) instanceof Binding.Kept) lasting.add(params.get(i));
        }
        for (Value v : from.keySet()) {
            if (shared.containsValue(v)) continue;
            var next = shared.get(v);
            var values = next == null ? List.of(v) : List.of(v, next);
            int until = next != null || lasting.contains(v) ? end : to.getOrDefault(v, end);
            int start = from.getOrDefault(v, -1);
            found.add(new Lying(values, false, start, until, problem.bytes(v)));
        }
        return found;
    }

    /** For each state that starts on the disk, its next version. */
    private static Map<Value, Value> shared(Problem problem, Set<Value> away) {
        Map<Value, Value> shared = new LinkedHashMap<>();
        var params = problem.graph().params();
        for (int i = 0; i < params.size(); i++) {
            if (problem.bindings().get(i) instanceof Binding.Replaced(int r)
                    && away.contains(params.get(i))) {
                shared.put(params.get(i), problem.graph().results().get(r));
            }
        }
        return shared;
    }
}
