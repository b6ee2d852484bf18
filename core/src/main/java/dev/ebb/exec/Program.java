package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;
import dev.ebb.ir.Table;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Schedule;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

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
    private final Meter meter;
    private final Stopwatch watch;
    private final long paramsEnd;
    private final long[] promised = new long[Category.values().length];

    public Program(Layout layout, Device device) {
        this.layout = layout;
        fixedBytes = device.fixedBytes();
        footprint = layout.schedule().footprint();
        var memory = arena.allocate(Math.max(layout.arenaBytes(), LINE), LINE);
        steps = new Steps(layout, device, memory, new Table<>());
        meter = new Meter(layout);
        watch = new Stopwatch(steps.bound());
        paramsEnd = paramsEnd(layout);
        var tide = Tide.of(layout);
        for (var category : Category.values()) promised[category.ordinal()] = tide.peak(category);
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
        return run((_, _) -> {});
    }

    /**
     * Runs every step once and checks each recomputed value against its first computation, bit by
     * bit. The first that differs ends the run: an op that is not what it claims to be.
     */
    public Report verify() {
        var first = new HashMap<Node, Long>();
        return run(
                (step, bound) -> {
                    long digest = Digest.of(bound.outputs());
                    var before = first.putIfAbsent(bound.node(), digest);
                    if (before != null && before != digest)
                        throw new DigestException(bound.node(), step);
                    watch.go();
                });
    }

    /** Looks at what a step has computed. */
    private interface Watcher {
        void computed(int step, Steps.Bound bound);
    }

    private Report run(Watcher watcher) {
        long highest = paramsEnd;
        var all = steps.bound();
        meter.begin();
        watch.begin();
        for (int i = 0; i < all.size(); i++) {
            var step = all.get(i);
            meter.step();
            step.body().run();
            highest = Math.max(highest, step.highest());
            watch.stop(i);
            watcher.computed(i, step);
        }
        return report(highest);
    }

    private static long paramsEnd(Layout layout) {
        return layout.slots().stream()
                .filter(slot -> slot.from() < 0)
                .mapToLong(slot -> slot.offset() + slot.bytes())
                .max()
                .orElse(0);
    }

    private Report report(long highest) {
        long whole = Math.ceilDiv(highest, LINE) * LINE;
        return new Report(
                promisedBytes(),
                whole + fixedBytes,
                watch.seconds(),
                footprint.computed(),
                footprint.recomputed(),
                watch.repeats(),
                watch.byTime(),
                peaks());
    }

    private List<Report.Peak> peaks() {
        var measured = meter.peaks();
        var peaks = new ArrayList<Report.Peak>();
        for (var category : Category.values()) {
            long owned = category == Category.WORKSPACE ? fixedBytes : 0;
            long promise = promised[category.ordinal()] + owned;
            long found = measured[category.ordinal()] + owned;
            if (promise > 0 || found > 0) peaks.add(new Report.Peak(category, promise, found));
        }
        return peaks;
    }

    @Override
    public void close() {
        arena.close();
    }
}
