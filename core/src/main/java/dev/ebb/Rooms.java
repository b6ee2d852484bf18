package dev.ebb;

import dev.ebb.ir.LoopMemory;
import dev.ebb.pass.Reversals;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Planner;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How much room loops may be given for what their reverse reads. */
record Rooms(Budget budget, Optional<Planner> strategy, Ways ways) {

    /** A loop of unknown length keeps at most this many states. */
    private static final int UNKNOWN_STATES = 32;

    /** The same where no loop is undone. */
    Rooms inMemory() {
        return new Rooms(budget, strategy, ways.and(Ways.of(Way.APPROXIMATE_INVERSES, Way.DISK)));
    }

    /** Whether a loop among {@code loops} would be undone. */
    boolean undo(List<Reversals.Reversed> loops) {
        return loops.stream().anyMatch(this::isUndone);
    }

    /** Room for more states than this is room for everything. */
    long mostStates(List<Reversals.Reversed> loops) {
        long most = 0;
        for (var loop : loops) {
            if (loop.state() > 0 && !isUndone(loop))
                most = Math.max(most, Math.ceilDiv(loop.allBytes(), loop.state()));
        }
        return most;
    }

    private boolean isUndone(Reversals.Reversed loop) {
        return loop.undoable() && ways.has(Way.INVERSES);
    }

    Optional<LoopMemory> moving(Reversals.Reversed loop, long states, long onDisk) {
        return room(loop, states, onDisk).map(LoopMemory::movingBeside);
    }

    /** How many bytes of states to let each loop put on the disk, most first. */
    List<Long> disks(List<Reversals.Reversed> loops) {
        if (!ways.has(Way.DISK) || !budget.disk().isPresent()) return List.of();
        var sharing = loops.stream().filter(l -> statesOnDisk(l, Long.MAX_VALUE) > 0).toList();
        if (sharing.isEmpty()) return List.of();
        long all = 0;
        long least = Long.MAX_VALUE;
        for (var loop : sharing) {
            all = Math.max(all, loop.state() * (loop.rounds() - 1));
            least = Math.min(least, loop.state());
        }
        var found = new ArrayList<Long>();
        long most = Math.min(all, budget.disk().bytes() / sharing.size());
        for (long each = most; each >= least; each /= 4) found.add(each);
        return found;
    }

    private int statesOnDisk(Reversals.Reversed loop, long bytes) {
        if (!loop.whole() || isUndone(loop) || loop.state() == 0) return 0;
        return Math.clamp(bytes / loop.state(), 0, Math.max(0, loop.rounds() - 1));
    }

    /**
     * Room for a tape and so many states, or for the tapes of all rounds if that is less; and so
     * many bytes of states on the disk. A loop that can be undone keeps all or nothing: undoing a
     * round takes no longer than running it again.
     */
    Optional<LoopMemory> room(Reversals.Reversed loop, long states, long onDisk) {
        if (!loop.known()) {
            long kept = Math.min(Math.min(states, UNKNOWN_STATES - 1), loop.rounds() - 1);
            return Optional.of(
                    new LoopMemory(
                            loop.tape() + kept * loop.state(),
                            loop.state(),
                            loop.tape(),
                            Integer.MAX_VALUE));
        }
        long all = loop.allBytes();
        boolean few = loop.state() > 0 && states < all / loop.state();
        if (few && isUndone(loop)) return Optional.empty();
        long bytes = few ? Math.min(all, loop.tape() + states * loop.state()) : all;
        var room = new LoopMemory(bytes, loop.state(), loop.tape(), Integer.MAX_VALUE);
        return Optional.of(few ? room.above(statesOnDisk(loop, onDisk)) : room);
    }

    Optional<LoopMemory> asStrategySays(Reversals.Reversed loop) {
        int most = loop.known() ? loop.rounds() : Math.min(loop.rounds(), UNKNOWN_STATES);
        int states = strategy.map(s -> s.states(loop.rounds())).orElse(most);
        if (loop.known() && states >= loop.rounds()) return room(loop, Long.MAX_VALUE, 0);
        int onDisk = strategy.map(s -> s.onDisk(loop.rounds())).orElse(0);
        var room = LoopMemory.slots(Math.min(states, most), loop.state(), loop.tape());
        boolean shared = loop.whole() && loop.state() > 0;
        return Optional.of(shared ? room.above(onDisk).movingBeside() : room);
    }
}
