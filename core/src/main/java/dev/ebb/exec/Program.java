package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Schedule;

import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.TreeMap;

/**
 * A laid-out schedule bound to memory and a device. One arena is allocated here and nothing after;
 * running steps through the schedule.
 */
public final class Program implements AutoCloseable {
    private static final long LINE = 64;

    private final Layout layout;
    private final long fixedBytes;
    private final Arena arena = Arena.ofShared();
    private final Steps steps;
    private final Schedule.Footprint footprint;

    public Program(Layout layout, Device device) {
        this.layout = layout;
        fixedBytes = device.fixedBytes();
        footprint = layout.schedule().footprint();
        var memory = arena.allocate(Math.max(layout.arenaBytes(), LINE), LINE);
        steps = new Steps(layout, device, memory, new Table<>());
    }

    public Layout layout() {
        return layout;
    }

    /** Where parameter {@code i} is to be written before a run. */
    public Buffer param(int i) {
        return steps.params().get(i);
    }

    /** Where result {@code i} lies after a run. */
    public Buffer result(int i) {
        return steps.results().get(i);
    }

    public long promisedBytes() {
        return layout.arenaBytes() + fixedBytes;
    }

    /** Runs every step once. */
    public Report run() {
        long start = System.nanoTime();
        long highest = paramsEnd();
        for (var step : steps.bound()) {
            step.body().run();
            highest = Math.max(highest, step.highest());
        }
        return report(start, highest, List.of());
    }

    /** Runs every step once and says how long each op took in all. */
    public Report profile() {
        long start = System.nanoTime();
        long highest = paramsEnd();
        var times = new TreeMap<String, Report.KernelTime>();
        for (var step : steps.bound()) {
            long before = System.nanoTime();
            step.body().run();
            var op = step.node().op().name();
            var time = new Report.KernelTime(op, 1, (System.nanoTime() - before) / 1e9);
            times.merge(op, time, Report.KernelTime::plus);
            highest = Math.max(highest, step.highest());
        }
        var byTime =
                times.values().stream()
                        .sorted(Comparator.comparingDouble(Report.KernelTime::seconds).reversed())
                        .toList();
        return report(start, highest, byTime);
    }

    /**
     * Runs every step once and checks each recomputed value against its first computation, bit by
     * bit. The first that differs ends the run: an op that is not what it claims to be.
     */
    public Report verify() {
        long start = System.nanoTime();
        long highest = paramsEnd();
        var first = new HashMap<Node, Long>();
        int step = 0;
        for (var bound : steps.bound()) {
            bound.body().run();
            highest = Math.max(highest, bound.highest());
            long digest = Digest.of(bound.outputs());
            var before = first.putIfAbsent(bound.node(), digest);
            if (before != null && before != digest) throw new DigestException(bound.node(), step);
            step++;
        }
        return report(start, highest, List.of());
    }

    private long paramsEnd() {
        return layout.slots().stream()
                .filter(slot -> slot.from() < 0)
                .mapToLong(slot -> slot.offset() + slot.bytes())
                .max()
                .orElse(0);
    }

    private Report report(long start, long highest, List<Report.KernelTime> times) {
        long whole = Math.ceilDiv(highest, LINE) * LINE;
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
