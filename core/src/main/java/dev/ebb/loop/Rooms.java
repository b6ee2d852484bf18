package dev.ebb.loop;

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
public record Rooms(Budget budget, Optional<Planner> strategy, Ways ways, LoopTapes tapes) {

    /** The same where no loop is undone. */
    public Rooms inMemory() {
        return new Rooms(
                budget, strategy, ways.and(Ways.of(Way.APPROXIMATE_INVERSES, Way.DISK)), tapes);
    }

    /** Whether a loop among {@code loops} would be undone. */
    public boolean undo(List<Reversals.Reversed> loops) {
        return loops.stream().anyMatch(this::isUndone);
    }

    /** Room for more states than this is room for everything. */
    public long mostStates(List<Reversals.Reversed> loops) {
        long most = 0;
        for (var loop : loops) {
            if (loop.state() > 0 && !isUndone(loop))
                most =
                        Math.max(
                                most,
                                Math.ceilDiv(tapes.full(loop).memory().bytes(), loop.state()));
        }
        return most;
    }

    private boolean isUndone(Reversals.Reversed loop) {
        return loop.undoable() && ways.has(Way.INVERSES);
    }

    public Optional<Reversals.Room> moving(Reversals.Reversed loop, long states, long onDisk) {
        return room(loop, states, onDisk)
                .map(r -> new Reversals.Room(r.memory().movingBeside(), r.kept()));
    }

    /** How many bytes of states to let each loop put on the disk, most first. */
    public List<Long> disks(List<Reversals.Reversed> loops) {
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
     * Room for the smallest tape and so many states, or for the fastest tapes of all rounds if that
     * is less, with the tapes that are best in it; and so many bytes of states on the disk. A loop
     * that can be undone keeps all or nothing: undoing a round takes no longer than running it
     * again.
     */
    public Optional<Reversals.Room> room(Reversals.Reversed loop, long states, long onDisk) {
        var full = tapes.full(loop);
        long all = full.memory().bytes();
        boolean few = loop.state() > 0 && states < all / loop.state();
        if (few && isUndone(loop)) return Optional.empty();
        long bytes = few ? tapes.least(loop).bytes() + states * loop.state() : all;
        return Optional.of(
                bytes < all ? tapes.best(loop, bytes, statesOnDisk(loop, onDisk)) : full);
    }

    public Optional<Reversals.Room> asStrategySays(Reversals.Reversed loop) {
        int most = loop.known() ? loop.rounds() : Math.min(loop.rounds(), LoopTapes.UNKNOWN_STATES);
        int states = strategy.map(s -> s.states(loop.rounds())).orElse(most);
        if (loop.known() && states >= loop.rounds()) {
            long all = Math.max(1, loop.rounds()) * loop.tape();
            return Optional.of(
                    loop.keepingAll(
                            new LoopMemory(all, loop.state(), loop.tape(), Integer.MAX_VALUE)));
        }
        int onDisk = strategy.map(s -> s.onDisk(loop.rounds())).orElse(0);
        var room = LoopMemory.slots(Math.min(states, most), loop.state(), loop.tape());
        boolean shared = loop.whole() && loop.state() > 0;
        return Optional.of(loop.keepingAll(shared ? room.above(onDisk).movingBeside() : room));
    }
}
