package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Schedule;
import dev.ebb.plan.Step;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A laid-out schedule bound to memory and a device. One arena is allocated here and nothing after; running steps
 * through the schedule.
 */
public final class Program implements AutoCloseable {

    private record Bound(Node node, Runnable body, long highest) {}

    private final Layout layout;
    private final long fixedBytes;
    private final Arena arena = Arena.ofShared();
    private final List<Buffer> params = new ArrayList<>();
    private final List<Buffer> results = new ArrayList<>();
    private final List<Bound> steps = new ArrayList<>();
    private final Schedule.Footprint footprint;

    public Program(Layout layout, Device device) {
        this.layout = layout;
        fixedBytes = device.fixedBytes();
        footprint = layout.schedule().footprint();
        var memory = arena.allocate(Math.max(layout.arenaBytes(), 1), Schedule.ALIGNMENT);
        var graph = layout.schedule().problem().graph();
        var starts = starts(layout);
        Map<Value, Buffer> resident = new HashMap<>();
        for (Value p : graph.params()) {
            resident.put(p, slice(memory, p, starts.get(-1).get(p)));
            params.add(resident.get(p));
        }
        var all = layout.schedule().steps();
        for (int i = 0; i < all.size(); i++) {
            switch (all.get(i)) {
                case Step.Compute(var node, _) -> {
                    var in = node.inputs().stream().map(resident::get).toList();
                    var here = starts.get(i);
                    var out = node.outputs().stream().map(v -> slice(memory, v, here.get(v))).toList();
                    for (int j = 0; j < out.size(); j++) resident.put(node.outputs().get(j), out.get(j));
                    boolean scratch = Scratch.isIn(node);
                    var workspace = scratch ? out.getLast() : new Buffer(DType.U8, 0, memory.asSlice(0, 0));
                    var body = device.bind(node, in, scratch ? out.subList(0, out.size() - 1) : out, workspace);
                    long highest = out.stream()
                            .mapToLong(b -> b.segment().address() - memory.address() + b.bytes())
                            .max()
                            .orElse(0);
                    steps.add(new Bound(node, body, highest));
                }
                case Step.Free _ -> {}
            }
        }
        for (Value r : graph.results()) results.add(resident.get(r));
    }

    /** For each step, the offsets of the values that begin their stay there. */
    private static Map<Integer, Map<Value, Long>> starts(Layout layout) {
        var starts = new HashMap<Integer, Map<Value, Long>>();
        starts.put(-1, new HashMap<>());
        for (var slot : layout.slots()) {
            for (var stay : slot.stays()) {
                starts.computeIfAbsent(stay.from(), _ -> new HashMap<>()).put(stay.value(), slot.offset());
            }
        }
        return starts;
    }

    private static Buffer slice(MemorySegment memory, Value v, long offset) {
        return new Buffer(v.type().dtype(), v.type().size(), memory.asSlice(offset, v.type().bytes()));
    }

    public Layout layout() {
        return layout;
    }

    /** Where parameter {@code i} is to be written before a run. */
    public Buffer param(int i) {
        return params.get(i);
    }

    /** Where result {@code i} lies after a run. */
    public Buffer result(int i) {
        return results.get(i);
    }

    public long promisedBytes() {
        return layout.arenaBytes() + fixedBytes;
    }

    /** Runs every step once. */
    public Report run() {
        long start = System.nanoTime();
        long highest = paramsEnd();
        for (Bound step : steps) {
            step.body.run();
            highest = Math.max(highest, step.highest);
        }
        return report(start, highest, List.of());
    }

    /** Runs every step once and says how long each op took in all. */
    public Report profile() {
        long start = System.nanoTime();
        long highest = paramsEnd();
        var calls = new TreeMap<String, Integer>();
        var nanos = new TreeMap<String, Long>();
        for (Bound step : steps) {
            long before = System.nanoTime();
            step.body.run();
            nanos.merge(step.node.op().name(), System.nanoTime() - before, Long::sum);
            calls.merge(step.node.op().name(), 1, Integer::sum);
            highest = Math.max(highest, step.highest);
        }
        var times = nanos.entrySet().stream()
                .map(e -> new Report.KernelTime(e.getKey(), calls.get(e.getKey()), e.getValue() / 1e9))
                .sorted((a, b) -> Double.compare(b.seconds(), a.seconds()))
                .toList();
        return report(start, highest, times);
    }

    private long paramsEnd() {
        var begun = new HashSet<>(layout.schedule().problem().graph().params());
        return layout.slots().stream()
                .filter(s -> begun.contains(s.stays().getFirst().value()) && s.from() < 0)
                .mapToLong(s -> s.offset() + s.bytes())
                .max()
                .orElse(0);
    }

    private Report report(long start, long highest, List<Report.KernelTime> times) {
        long whole = Math.ceilDiv(highest, Schedule.ALIGNMENT) * Schedule.ALIGNMENT;
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Report(
                promisedBytes(), whole + fixedBytes, seconds, footprint.computed(), footprint.recomputed(), times);
    }

    @Override
    public void close() {
        arena.close();
    }
}
