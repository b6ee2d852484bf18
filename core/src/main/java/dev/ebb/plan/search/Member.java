package dev.ebb.plan.search;

import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Schedule;

import java.util.Optional;

/**
 * One plan of a {@link Frontier}: its sequence, its peak of live bytes, and its cost above
 * computing all once.
 */
public final class Member {
    private final SearchModel model;
    private final int[] sequence;
    private final long peak;
    private final double extra;

    public Member(SearchModel model, int[] sequence, long peak, double extra) {
        this.model = model;
        this.sequence = sequence;
        this.peak = peak;
        this.extra = extra;
    }

    /** The plan of a sequence that can be run, with the cost of its works. */
    static Member of(SearchModel model, int[] sequence) {
        var replay = new Liveness(model);
        if (!replay.replay(sequence, sequence.length))
            throw new IllegalStateException("an order that cannot be run");
        return new Member(model, replay.sequence(), replay.peak, replay.extra);
    }

    public int[] sequence() {
        return sequence;
    }

    public long peak() {
        return peak;
    }

    public double extra() {
        return extra;
    }

    public Schedule schedule() {
        return ScheduleWriter.of(model, sequence);
    }

    /** The computation that takes most memory; none if nothing is computed. */
    public Optional<Node> largest() {
        return Liveness.largest(model, sequence);
    }

    SearchModel model() {
        return model;
    }
}
