package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.Map;

/**
 * The time a schedule takes when transfers run beside the computation: in each place one transfer
 * at a time, in the order in which they are started, and those of several places beside each other.
 * A kernel waits for what it reads to arrive, and memory is given back only after what lay in it
 * has been written.
 */
public final class Clock implements ScheduleListener {
    private final Problem problem;
    private final Cost cost;
    private final Map<Value, Double> arrives = new HashMap<>();
    private final Map<Value, Double> written = new HashMap<>();

    /** When each place has ended the transfers that were started so far. */
    private final Map<Place, Double> idle = new HashMap<>();

    private double now;

    private Clock(Problem problem, Cost cost) {
        this.problem = problem;
        this.cost = cost;
    }

    static double time(Schedule schedule, Cost cost) {
        var clock = new Clock(schedule.problem(), cost);
        schedule.tell(clock);
        return clock.idle.values().stream().reduce(clock.now, Math::max);
    }

    @Override
    public void runs(int step, Step.Work work, Run how) {
        for (Value v : work.node().inputs()) await(arrives, v);
        for (var reuse : work.reuses()) await(written, reuse.from());
        now += cost.of(work.node());
    }

    @Override
    public void frees(int step, Value v) {
        await(arrives, v);
        await(written, v);
    }

    @Override
    public void offloads(int step, Value v, Place place) {
        await(arrives, v);
        written.merge(v, transfer(place, place.toWrite(problem.bytes(v))), Math::max);
    }

    @Override
    public void fetches(int step, Value v, Place place) {
        arrives.put(v, transfer(place, place.toRead(problem.bytes(v))));
    }

    private double transfer(Place place, double seconds) {
        double end = Math.max(now, idle.getOrDefault(place, 0.0)) + seconds;
        idle.put(place, end);
        return end;
    }

    private void await(Map<Value, Double> when, Value v) {
        if (when.isEmpty()) return;
        var time = when.remove(v);
        if (time != null) now = Math.max(now, time);
    }
}
