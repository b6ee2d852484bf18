package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/**
 * Moves the steps that free what is being offloaded: whoever frees such memory waits for it to be
 * written, so it is freed when it has been, or where the peak would be exceeded otherwise.
 */
public final class LateFrees {
    private final Problem problem;
    private final long peak;
    private final Clock clock;
    private final List<Step> steps = new ArrayList<>();
    private final SequencedSet<Value> writing = new LinkedHashSet<>();
    private long bytes;

    private LateFrees(Schedule schedule, Cost cost) {
        problem = schedule.problem();
        peak = schedule.footprint().peakBytes();
        clock = new Clock(problem, cost);
        var away = schedule.away();
        for (Value p : problem.graph().params())
            if (!away.containsKey(p)) bytes += problem.bytes(p);
    }

    /** The same schedule, with the same peak and no more waiting. */
    public static Schedule in(Schedule schedule, Cost cost) {
        if (schedule.steps().stream().noneMatch(s -> s instanceof Step.Offload)) return schedule;
        var late = new LateFrees(schedule, cost);
        for (int i = 0; i < schedule.steps().size(); i++) late.add(i, schedule.steps().get(i));
        while (!late.writing.isEmpty()) late.free(late.writing.getFirst());
        return new Schedule(late.problem, late.steps);
    }

    private void add(int i, Step step) {
        while (!writing.isEmpty() && clock.writing(writing.getFirst()).isEmpty())
            free(writing.getFirst());
        switch (step) {
            case Step.Work work -> {
                var entering = new HashSet<>(work.node().outputs());
                for (var reuse : work.reuses()) entering.remove(reuse.into());
                long more = 0;
                for (Value v : entering) more += problem.bytes(v);
                work.node().outputs().forEach(this::freeIfWriting);
                makeRoom(more);
                bytes += more;
                clock.runs(i, work, ScheduleListener.Run.FIRST);
                steps.add(step);
            }
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
