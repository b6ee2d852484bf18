package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Schedule;
import dev.ebb.plan.Step;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;

/**
 * A laid-out schedule bound to memory and a device. One arena is allocated here and nothing after;
 * running steps through the schedule.
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
        var resident = new Table<Value, Buffer>();
        for (Value p : graph.params()) {
            var buffer = slice(memory, p, starts.at(new Layout.Stay(p, -1)));
            resident.put(p, buffer);
            params.add(buffer);
        }
        var all = layout.schedule().steps();
        for (int i = 0; i < all.size(); i++) {
            int step = i;
            switch (all.get(i)) {
                case Step.Compute(var node, _) -> {
                    var in = node.inputs().stream().map(resident::at).toList();
                    var out =
                            node.outputs().stream()
                                    .map(v -> slice(memory, v, starts.at(new Layout.Stay(v, step))))
                                    .toList();
                    for (int j = 0; j < out.size(); j++)
                        resident.put(node.outputs().get(j), out.get(j));
                    steps.add(bound(device, node, in, out, memory));
                }
                case Step.Free _ -> {}
            }
        }
        for (Value r : graph.results()) results.add(resident.at(r));
    }

    private static Bound bound(
            Device device, Node node, List<Buffer> in, List<Buffer> out, MemorySegment memory) {
        boolean scratch = Scratch.isIn(node);
        var workspace = scratch ? out.getLast() : new Buffer(DType.U8, 0, memory.asSlice(0, 0));
        var body = device.bind(node, in, scratch ? out.subList(0, out.size() - 1) : out, workspace);
        long highest = 0;
        for (var b : out)
            highest = Math.max(highest, b.segment().address() - memory.address() + b.bytes());
        return new Bound(node, body, highest);
    }

    /** The offset of every stay. */
    private static Table<Layout.Stay, Long> starts(Layout layout) {
        var starts = new Table<Layout.Stay, Long>();
        for (var slot : layout.slots()) {
            for (var stay : slot.stays()) starts.put(stay, slot.offset());
        }
        return starts;
    }

    private static Buffer slice(MemorySegment memory, Value v, long offset) {
        return new Buffer(
                v.type().dtype(), v.type().size(), memory.asSlice(offset, v.type().bytes()));
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
        var times = new TreeMap<String, Report.KernelTime>();
        for (Bound step : steps) {
            long before = System.nanoTime();
            step.body.run();
            var op = step.node.op().name();
            var time = new Report.KernelTime(op, 1, (System.nanoTime() - before) / 1e9);
            times.merge(op, time, Report.KernelTime::plus);
            highest = Math.max(highest, step.highest);
        }
        var byTime =
                times.values().stream()
                        .sorted(Comparator.comparingDouble(Report.KernelTime::seconds).reversed())
                        .toList();
        return report(start, highest, byTime);
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
                promisedBytes(),
                whole + fixedBytes,
                seconds,
                footprint.computed(),
                footprint.recomputed(),
                times);
    }

    @Override
    public void close() {
        arena.close();
    }
}
