package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;

/**
 * Delays the reuse of memory that is being offloaded: a step that frees or overwrites it waits
 * until it has been written. It is freed when it has been written, or where the peak would be
 * exceeded otherwise, and overwritten in place only if no other memory is free.
 */
public final class LateFrees {
    private final Problem problem;
    private final long peak;
    private final Clock clock;
    private final List<Step> steps = new ArrayList<>();
    private final SequencedSet<Value> writing = new LinkedHashSet<>();
    private long bytes;

    /** The values that must be written in place. */
    private final Set<Value> inPlace;

    private LateFrees(Problem problem, List<Step> from, long peak, Cost cost, Set<Value> inPlace) {
        this.inPlace = inPlace;
        this.problem = problem;
        this.peak = peak;
        clock = new Clock(problem, cost);
        var away = Schedule.away(problem, from);
        for (Value p : problem.graph().params())
            if (!away.containsKey(p)) bytes += problem.bytes(p);
        for (int i = 0; i < from.size(); i++) add(i, from.get(i));
        while (!writing.isEmpty()) free(writing.getFirst());
    }

    /** The same schedule, with the same peak and no more waiting. */
    public static Schedule in(Schedule schedule, Cost cost, Set<Value> inPlace) {
        if (!offloads(schedule.steps())) return schedule;
        long peak = schedule.footprint().peakBytes();
        var late = new LateFrees(schedule.problem(), schedule.steps(), peak, cost, inPlace);
        return new Schedule(late.problem, late.steps);
    }

    /** The time of the schedule that {@link #in} makes of these steps, which have this peak. */
    public static double time(
            Problem problem, List<Step> steps, long peak, Cost cost, Set<Value> inPlace) {
        return offloads(steps)
                ? new LateFrees(problem, steps, peak, cost, inPlace).clock.end()
                : Clock.time(problem, steps, cost);
    }

    private static boolean offloads(List<Step> steps) {
        return steps.stream().anyMatch(s -> s instanceof Step.Offload);
    }

    private void add(int i, Step step) {
        while (!writing.isEmpty() && clock.writing(writing.getFirst()).isEmpty())
            free(writing.getFirst());
        switch (step) {
            case Step.Work work -> run(i, work);
            case Step.Fetch(var v, var place) -> {
                freeIfWriting(v);
                makeRoom(problem.bytes(v));
                bytes += problem.bytes(v);
                clock.fetches(i, v, place);
                steps.add(step);
            }
            case Step.Offload(var v, var place) -> {
                clock.offloads(i, v, place);
                steps.add(step);
            }
            case Step.Free(var v) -> {
                if (clock.writing(v).isPresent()) writing.addLast(v);
                else free(v);
            }
        }
    }

    private void run(int i, Step.Work work) {
        work.node().outputs().forEach(this::freeIfWriting);
        long more = 0;
        for (Value v : work.node().outputs()) more += problem.bytes(v);
        for (var reuse : work.reuses()) more -= problem.bytes(reuse.into());
        var reuses = new ArrayList<Step.Reuse>();
        var kept = new ArrayList<Value>();
        for (var reuse : work.reuses()) {
            long size = problem.bytes(reuse.into());
            boolean apart =
                    clock.writing(reuse.from()).isPresent()
                            && !inPlace.contains(reuse.into())
                            && bytes + more + size <= peak;
            if (apart) {
                more += size;
                kept.add(reuse.from());
            } else {
                reuses.add(reuse);
            }
        }
        makeRoom(more);
        bytes += more;
        var step = work.with(reuses);
        clock.runs(i, step, ScheduleListener.Run.FIRST);
        steps.add(step);
        writing.addAll(kept);
    }

    private void freeIfWriting(Value v) {
        if (writing.contains(v)) free(v);
    }

    private void makeRoom(long more) {
        while (bytes + more > peak && !writing.isEmpty()) free(writing.getFirst());
    }

    private void free(Value v) {
        writing.remove(v);
        clock.frees(steps.size(), v);
        bytes -= problem.bytes(v);
        steps.add(new Step.Free(v));
    }
}
