package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The time a schedule takes when transfers run beside the computation: one transfer at a time, in
 * the order in which they are started. A kernel waits for what it reads to arrive, and memory is
 * given back only after what lay in it has been written.
 */
public final class Clock {
    private final Disk disk;
    private final Cost cost;
    private final Map<Value, Double> arrives = new HashMap<>();
    private final Map<Value, Double> written = new HashMap<>();
    private double now;
    private double free;

    public Clock(Disk disk, Cost cost) {
        this.disk = disk;
        this.cost = cost;
    }

    public double run(Problem problem, List<Step> steps) {
        for (Step step : steps) {
            switch (step) {
                case Step.Work work -> {
                    for (Value v : work.node().inputs()) await(arrives, v);
                    for (var reuse : work.reuses()) await(written, reuse.from());
                    now += cost.of(work.node());
                }
                case Step.Free(var v) -> {
                    await(arrives, v);
                    await(written, v);
                }
                case Step.Offload(var v) -> {
                    await(arrives, v);
                    written.put(v, transfer(disk.toWrite(problem.bytes(v))));
                }
                case Step.Fetch(var v) -> arrives.put(v, transfer(disk.toRead(problem.bytes(v))));
            }
        }
        return Math.max(now, free);
    }

    private double transfer(double seconds) {
        free = Math.max(now, free) + seconds;
        return free;
    }

    private void await(Map<Value, Double> when, Value v) {
        if (when.isEmpty()) return;
        var time = when.remove(v);
        if (time != null) now = Math.max(now, time);
    }
}
