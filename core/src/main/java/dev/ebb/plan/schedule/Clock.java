package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The predicted time of a schedule whose transfers overlap with computation. A place runs one
 * transfer at a time, in the order in which they start, or one in each direction if it is two-way;
 * different places run in parallel. A value is fetched after it was offloaded. A kernel waits for
 * its operands to arrive, and memory is released only after its contents have been written.
 */
public final class Clock implements ScheduleListener {
    private final Problem problem;
    private final Cost cost;
    private final Map<Value, Double> arrives = new HashMap<>();
    private final Map<Value, Double> written = new HashMap<>();

    /** For each value, the time at which its latest offload is complete. */
    private final Map<Value, Double> stored = new HashMap<>();

    /** Transfers that run one after the other. */
    private record Lane(Place place, boolean out) {
        static Lane of(Place place, boolean out) {
            return new Lane(place, out || !place.isTwoWay());
        }
    }

    /** The time at which each lane has ended the transfers that were started so far. */
    private final Map<Lane, Double> idle = new HashMap<>();

    private double now;

    Clock(Problem problem, Cost cost) {
        this.problem = problem;
        this.cost = cost;
    }

    static double time(Schedule schedule, Cost cost) {
        return time(schedule.problem(), schedule.steps(), cost);
    }

    static double time(Problem problem, List<Step> steps, Cost cost) {
        var clock = new Clock(problem, cost);
        Schedule.tell(problem, steps, clock);
        return clock.end();
    }

    /** The time at which the computation and all transfers so far have ended. */
    double end() {
        return idle.values().stream().reduce(now, Math::max);
    }

    /** The time of the computation so far. */
    double now() {
        return now;
    }

    /** The time at which {@code v} has been written to its place, if that is later than now. */
    OptionalDouble writing(Value v) {
        double end = written.getOrDefault(v, 0.0);
        return end > now ? OptionalDouble.of(end) : OptionalDouble.empty();
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
        double end = transfer(Lane.of(place, true), now, place.toWrite(problem.bytes(v)));
        written.merge(v, end, Math::max);
        stored.put(v, end);
    }

    @Override
    public void fetches(int step, Value v, Place place) {
        double ready = Math.max(now, stored.getOrDefault(v, 0.0));
        arrives.put(v, transfer(Lane.of(place, false), ready, place.toRead(problem.bytes(v))));
    }

    private double transfer(Lane lane, double ready, double seconds) {
        double end = Math.max(ready, idle.getOrDefault(lane, 0.0)) + seconds;
        idle.put(lane, end);
        return end;
    }

    private void await(Map<Value, Double> when, Value v) {
        if (when.isEmpty()) return;
        var time = when.remove(v);
        if (time != null) now = Math.max(now, time);
    }
}
