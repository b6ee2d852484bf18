package dev.ebb.loop;

import dev.ebb.pass.Reversals;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The checkpoint areas that loops may be given for their reverse.
 *
 * @param places all places of the program, to whose numbers checkpoint areas refer
 * @param used the places to which states may be offloaded
 */
record CheckpointAreas(List<Place> places, List<Place> used, Ways ways, LoopTapes tapes) {

    /** The states that each loop may offload: this many bytes in one place. */
    record Elsewhere(int place, long bytes) {
        private static final Elsewhere NOTHING = new Elsewhere(0, 0);
    }

    /** The same choices, without inverting loops. */
    CheckpointAreas inMemory() {
        return new CheckpointAreas(places, used, ways.without(Ways.of(Way.INVERSES)), tapes);
    }

    /** Whether a loop among {@code loops} would be inverted. */
    boolean undo(List<Reversals.Reversed> loops) {
        return loops.stream().anyMatch(this::isUndone);
    }

    /** From this number of states on, every loop gets an area for all its tapes. */
    long mostStates(List<Reversals.Reversed> loops) {
        long most = 0;
        for (var loop : loops) {
            if (loop.state() > 0 && !isUndone(loop))
                most = Math.max(most, Math.ceilDiv(tapes.full(loop).area().bytes(), loop.state()));
        }
        return most;
    }

    private boolean isUndone(Reversals.Reversed loop) {
        return loop.undoable() && ways.has(Way.INVERSES);
    }

    /** As {@link #plan}, with memory for one state in transfer while the loop runs. */
    Optional<Reversals.CheckpointPlan> moving(
            Reversals.Reversed loop, long states, Elsewhere further) {
        return plan(loop, states, further)
                .map(r -> new Reversals.CheckpointPlan(r.area().movingBeside(), r.kept()));
    }

    /** The offloading choices for each loop: place by place, most bytes first. */
    List<Elsewhere> elsewhere(List<Reversals.Reversed> loops) {
        var sharing = loops.stream().filter(l -> statesIn(l, Long.MAX_VALUE) > 0).toList();
        if (sharing.isEmpty()) return List.of();
        long all = 0;
        long least = Long.MAX_VALUE;
        for (var loop : sharing) {
            all = Math.max(all, loop.state() * (loop.iterations() - 1));
            least = Math.min(least, loop.state());
        }
        var found = new ArrayList<Elsewhere>();
        for (int k = 0; k < places.size(); k++) {
            if (!used.contains(places.get(k))) continue;
            long most = Math.min(all, places.get(k).bytes() / sharing.size());
            for (long each = most; each >= least; each /= 4) found.add(new Elsewhere(k, each));
        }
        return found;
    }

    private int statesIn(Reversals.Reversed loop, long bytes) {
        if (!loop.mayOffload() || isUndone(loop) || loop.state() == 0) return 0;
        return Math.clamp(bytes / loop.state(), 0, Math.max(0, loop.iterations() - 1));
    }

    /**
     * The area for the smallest tape and this many states, or for the fastest tapes of all
     * iterations if that is smaller, with the tapes that are best in it. Empty if the loop is
     * inverted instead: a loop that can be inverted keeps everything or nothing, because inverting
     * an iteration takes no longer than running it again.
     */
    Optional<Reversals.CheckpointPlan> plan(Reversals.Reversed loop, long states) {
        return plan(loop, states, Elsewhere.NOTHING);
    }

    /** The same area, with further states offloaded. */
    Optional<Reversals.CheckpointPlan> plan(
            Reversals.Reversed loop, long states, Elsewhere further) {
        var full = tapes.full(loop);
        long all = full.area().bytes();
        boolean few = loop.state() > 0 && states < all / loop.state();
        if (few && isUndone(loop)) return Optional.empty();
        long bytes = few ? tapes.least(loop).bytes() + states * loop.state() : all;
        return Optional.of(
                bytes < all
                        ? tapes.best(loop, bytes, statesIn(loop, further.bytes), further.place)
                        : full);
    }
}
