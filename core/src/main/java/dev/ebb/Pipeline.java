package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Room;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.Loops;
import dev.ebb.pass.Reversals;
import dev.ebb.pass.Simplify;
import dev.ebb.plan.Binding;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Cost;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Fit;
import dev.ebb.plan.Haulage;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Problem;
import dev.ebb.plan.Settle;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.Way;
import dev.ebb.plan.Ways;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The line from a traced graph to a plan that can run.
 *
 * @param budget what the program may own, the device's own memory included
 * @param strategy how to plan, if not by the budget
 * @param fusing whether ops are merged into as few kernels as pay
 * @param ways how values may be brought back, besides by computing them again
 */
record Pipeline(
        Budget budget,
        Optional<Planner> strategy,
        Cost cost,
        Device device,
        boolean fusing,
        Ways ways) {

    /** A loop of unknown length keeps at most this many states. */
    private static final int UNKNOWN_STATES = 32;

    static Pipeline within(Budget budget) {
        var device = Devices.best();
        return new Pipeline(budget, Optional.empty(), device.cost(), device, true, Ways.every());
    }

    /** The same on another device, planned by that device's own costs. */
    Pipeline on(Device other) {
        return new Pipeline(budget, strategy, other.cost(), other, fusing, ways);
    }

    Pipeline with(Planner planner) {
        return new Pipeline(budget, Optional.of(planner), cost, device, fusing, ways);
    }

    Pipeline costing(Cost other) {
        return new Pipeline(budget, strategy, other, device, fusing, ways);
    }

    Pipeline unfused() {
        return new Pipeline(budget, strategy, cost, device, false, ways);
    }

    Pipeline only(Ways allowed) {
        return new Pipeline(budget, strategy, cost, device, fusing, allowed);
    }

    /**
     * The best plan for {@code traced}. Loops keep all that their reverse reads if that fits, else
     * as much as does: the search is over room for so many states, of which tapes take their share.
     */
    Plan plan(Graph traced, List<Binding> bindings) {
        return hauling().best(traced, bindings);
    }

    private Pipeline hauling() {
        var disk = budget.disk();
        return disk.isPresent() ? costing(new Haulage(cost, disk)) : this;
    }

    /** What memory buys, and what each way adds; of the budget only the disk counts. */
    TradeOff tradeOff(Graph traced, List<Binding> bindings) {
        return hauling().allRooms(traced, bindings);
    }

    private Graph merged(Graph traced) {
        var simple = Simplify.of(traced);
        if (!fusing) return Loops.merge(Fuse.unfused(simple));
        var limits = device.fusion();
        boolean away = budget.disk().isPresent() && ways.has(Way.DISK);
        return Loops.merge(away ? Fuse.oneByOne(simple, limits) : Fuse.of(simple, limits));
    }

    private TradeOff allRooms(Graph traced, List<Binding> bindings) {
        var merged = merged(traced);
        var loops = new ArrayList<Reversals.Reversed>();
        var all = new ArrayList<TradeOff.Variant>();
        all.add(
                variant(
                        merged,
                        bindings,
                        loop -> {
                            loops.add(loop);
                            return room(loop, Long.MAX_VALUE, 0);
                        }));
        var inMemory = only(ways.and(Ways.of(Way.APPROXIMATE_INVERSES, Way.DISK)));
        boolean undo = ways.has(Way.INVERSES) && loops.stream().anyMatch(l -> l.undoable());
        long most = inMemory.mostStates(loops);
        for (long states = 0; !loops.isEmpty() && states <= most; states += Math.max(1, states)) {
            long room = states;
            all.add(variant(merged, bindings, loop -> inMemory.room(loop, room, 0)));
            if (undo) all.add(variant(merged, bindings, loop -> room(loop, room, 0)));
            for (long each : disks(loops)) {
                all.add(variant(merged, bindings, loop -> room(loop, room, each)));
                all.add(variant(merged, bindings, loop -> moving(loop, room, each)));
            }
        }
        return new TradeOff(all);
    }

    private TradeOff.Variant variant(Graph merged, List<Binding> bindings, Reversals.Rooms rooms) {
        var needs = new ArrayList<Way>();
        var undone = new long[1];
        var graph =
                Reversals.within(
                        merged,
                        loop -> {
                            var room = rooms.of(loop);
                            if (room.isEmpty()) {
                                needs.add(Way.INVERSES);
                                undone[0] += loop.rounds();
                            } else if (room.get().onDisk() > 0) {
                                needs.add(Way.DISK);
                            }
                            return room;
                        });
        var needed = Ways.of(needs.toArray(Way[]::new));
        return new TradeOff.Variant(curve(graph, bindings), needed, undone[0]);
    }

    private Plan best(Graph traced, List<Binding> bindings) {
        var merged = merged(traced);
        if (strategy.isPresent())
            return planned(Reversals.within(merged, this::asStrategySays), bindings);
        var loops = new ArrayList<Reversals.Reversed>();
        var whole =
                Reversals.within(
                        merged,
                        loop -> {
                            loops.add(loop);
                            return room(loop, Long.MAX_VALUE, 0);
                        });
        var everything = curve(whole, bindings);
        if (loops.isEmpty()) return fitted(everything);
        // a share is one of keeping everything, whatever the loops are given in the end
        var bytes = budget.resolved(everything.storeAllBytes());
        var within = new Pipeline(bytes, strategy, cost, device, fusing, ways);
        if (everything.storeAllBytes() <= bytes.resolve(0)) return within.fitted(everything);
        return within.inLess(merged, bindings, loops, everything);
    }

    private Plan inLess(
            Graph merged,
            List<Binding> bindings,
            List<Reversals.Reversed> loops,
            Curve everything) {
        long most = mostStates(loops);
        // the least comes first: what does not fit then fits in no other way
        var best = planned(merged, bindings, 0);
        long fits = 0;
        for (long low = 1, high = most - 1; low <= high; ) {
            long states = (low + high) >>> 1;
            try {
                best = cheaper(best, planned(merged, bindings, states));
                fits = states;
                low = states + 1;
            } catch (OverBudgetException e) {
                high = states - 1;
            }
        }
        // room for fewer states may leave the rest of the program more than it costs the loops
        for (long states = fits / 2; states > 0; states /= 4)
            best = cheaper(best, planned(merged, bindings, states));
        best = withStatesOnDisk(merged, bindings, loops, fits, best);
        try {
            return cheaper(best, fitted(everything));
        } catch (OverBudgetException e) {
            return best;
        }
    }

    /** Room for more states than this is room for everything. */
    private long mostStates(List<Reversals.Reversed> loops) {
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

    /**
     * The same with further states on the disk, where that is faster than running more rounds
     * again: as many as it has room for, or a part of them, which leaves room to other values.
     */
    private Plan withStatesOnDisk(
            Graph merged,
            List<Binding> bindings,
            List<Reversals.Reversed> loops,
            long states,
            Plan without) {
        var best = without;
        for (long each : disks(loops)) {
            best = orLess(best, merged, bindings, loop -> room(loop, states, each));
            // one state less, and one may be on its way while the loop runs on
            if (states > 0)
                best = orLess(best, merged, bindings, loop -> moving(loop, states - 1, each));
        }
        return best;
    }

    /** The plan with these rooms, if it fits and is cheaper. */
    private Plan orLess(Plan best, Graph merged, List<Binding> bindings, Reversals.Rooms rooms) {
        try {
            return cheaper(planned(Reversals.within(merged, rooms), bindings), best);
        } catch (OverBudgetException e) {
            // what else lies on the disk takes too much of it, or there is no room for one more
            return best;
        }
    }

    private Optional<Room> moving(Reversals.Reversed loop, long states, long onDisk) {
        return room(loop, states, onDisk).map(Room::movingBeside);
    }

    /** How many bytes of states to let each loop put on the disk, most first. */
    private List<Long> disks(List<Reversals.Reversed> loops) {
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

    private Plan planned(Graph merged, List<Binding> bindings, long states) {
        return planned(Reversals.within(merged, loop -> room(loop, states, 0)), bindings);
    }

    private static Plan cheaper(Plan a, Plan b) {
        return a.cost() < b.cost() ? a : b;
    }

    /**
     * Room for a tape and so many states, or for the tapes of all rounds if that is less; and so
     * many bytes of states on the disk. A loop that can be undone keeps all or nothing: undoing a
     * round takes no longer than running it again.
     */
    private Optional<Room> room(Reversals.Reversed loop, long states, long onDisk) {
        if (!loop.known()) {
            long kept = Math.min(Math.min(states, UNKNOWN_STATES - 1), loop.rounds() - 1);
            return Optional.of(
                    new Room(
                            loop.tape() + kept * loop.state(),
                            loop.state(),
                            loop.tape(),
                            Integer.MAX_VALUE));
        }
        long all = loop.allBytes();
        boolean few = loop.state() > 0 && states < all / loop.state();
        if (few && isUndone(loop)) return Optional.empty();
        long bytes = few ? Math.min(all, loop.tape() + states * loop.state()) : all;
        var room = new Room(bytes, loop.state(), loop.tape(), Integer.MAX_VALUE);
        return Optional.of(few ? room.above(statesOnDisk(loop, onDisk)) : room);
    }

    private Optional<Room> asStrategySays(Reversals.Reversed loop) {
        int most = loop.known() ? loop.rounds() : Math.min(loop.rounds(), UNKNOWN_STATES);
        int states = strategy.map(s -> s.states(loop.rounds())).orElse(most);
        if (loop.known() && states >= loop.rounds()) return room(loop, Long.MAX_VALUE, 0);
        int onDisk = strategy.map(s -> s.onDisk(loop.rounds())).orElse(0);
        var room = Room.slots(Math.min(states, most), loop.state(), loop.tape());
        boolean shared = loop.whole() && loop.state() > 0;
        return Optional.of(shared ? room.above(onDisk).movingBeside() : room);
    }

    private Plan planned(Graph graph, List<Binding> bindings) {
        if (strategy.isEmpty()) return fitted(curve(graph, bindings));
        var chosen = strategy.get();
        var done = Flight.recorder().planning(chosen.toString());
        var plan = chosen.decide(problem(graph, bindings), cost, device.fixedBytes());
        done.accept(plan);
        return bounded(plan, chosen);
    }

    private Plan fitted(Curve curve) {
        var done = Flight.recorder().planning(new Fit(budget).toString());
        var plan = curve.at(budget);
        done.accept(plan);
        return plan;
    }

    private Curve curve(Graph graph, List<Binding> bindings) {
        return new Curve(problem(graph, bindings), cost, Curve.Measure.ARENA, device.fixedBytes());
    }

    private Problem problem(Graph graph, List<Binding> bindings) {
        var settled = Settle.of(new Problem(Scratch.add(graph, device), bindings));
        return settled.inverting(Scratch.inversions(settled.graph(), device))
                .on(budget.disk())
                .only(ways);
    }

    /** A strategy of the user's choice is held to the budget too. */
    private Plan bounded(Plan plan, Planner chosen) {
        long bytes = budget.resolve(plan.storeAllBytes());
        long onDisk = plan.layout().shelves().bytes();
        if (onDisk > plan.schedule().problem().disk().bytes())
            throw tooMuchOnDisk(chosen, plan, onDisk);
        if (plan.peakBytes() <= bytes) return plan;
        throw new OverBudgetException(
                chosen
                        + " takes "
                        + Budget.show(plan.peakBytes())
                        + ", the budget is "
                        + Budget.show(bytes)
                        + "; give it as much, keep less, or leave the strategy out and the plan"
                        + " will be fitted to the budget",
                plan.peakBytes());
    }

    private OverBudgetException tooMuchOnDisk(Planner chosen, Plan plan, long onDisk) {
        return new OverBudgetException(
                chosen
                        + " puts "
                        + Budget.show(onDisk)
                        + " on the disk, "
                        + (budget.disk().isPresent() && ways.has(Way.DISK)
                                ? "which has room for " + Budget.show(budget.disk().bytes())
                                : "and the budget names none")
                        + "; give it as much with withDisk(folder, room), or keep fewer states"
                        + " there",
                plan.peakBytes());
    }
}
