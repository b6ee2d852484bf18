package dev.ebb;

import dev.ebb.exec.Device;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.loop.LoopBodies;
import dev.ebb.loop.LoopTapes;
import dev.ebb.loop.Rooms;
import dev.ebb.pass.Early;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.Loops;
import dev.ebb.pass.Reversals;
import dev.ebb.pass.Simplify;
import dev.ebb.pass.Unread;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Fit;
import dev.ebb.plan.OverBudgetException;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.Saved;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.WorkerMemory;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.cost.LoopTransferCost;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.InPlaceUpdates;
import dev.ebb.plan.schedule.LoopStates;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The line from a traced graph to a plan that can run.
 *
 * @param budget what the program may own, the device's own memory included
 * @param strategy how to plan, if not by the budget
 * @param fusing whether ops are merged into as few kernels as pay
 * @param ways how values may be brought back, besides by computing them again
 * @param cache what was searched for before
 * @param searches the latest searches, shared by all pipelines made from one another
 */
record Pipeline(
        Budget budget,
        Optional<Planner> strategy,
        Cost cost,
        Device device,
        boolean fusing,
        Ways ways,
        SearchCache cache,
        LoopSearch.Latest searches) {

    /** On the fastest device there is, bounded by nothing. */
    static Pipeline free() {
        var device = Devices.best();
        return new Pipeline(
                Budget.unlimited(),
                Optional.empty(),
                device.cost(),
                device,
                true,
                Ways.every(),
                PlanCache.inMemory(),
                new LoopSearch.Latest());
    }

    Pipeline within(Budget bound) {
        return new Pipeline(bound, strategy, cost, device, fusing, ways, cache, searches);
    }

    /** The same on another device, planned by that device's own costs. */
    Pipeline on(Device other) {
        return new Pipeline(budget, strategy, other.cost(), other, fusing, ways, cache, searches);
    }

    Pipeline with(Planner planner) {
        return new Pipeline(
                budget, Optional.of(planner), cost, device, fusing, ways, cache, searches);
    }

    Pipeline costing(Cost other) {
        return new Pipeline(budget, strategy, other, device, fusing, ways, cache, searches);
    }

    Pipeline unfused() {
        return new Pipeline(budget, strategy, cost, device, false, ways, cache, searches);
    }

    Pipeline only(Ways allowed) {
        return new Pipeline(budget, strategy, cost, device, fusing, allowed, cache, searches);
    }

    Pipeline caching(SearchCache other) {
        return new Pipeline(
                budget, strategy, cost, device, fusing, ways, other, new LoopSearch.Latest());
    }

    /** The best plan for {@code traced}. */
    Plan plan(Graph traced, List<Binding> bindings) {
        if (strategy.isPresent() && strategy.get() instanceof Fit(var own)) {
            // the default, in a budget of its own, and held to that of the program too
            var within =
                    own.places().isEmpty()
                            ? new Budget.WithPlaces(own.memory(), budget.places())
                            : own;
            var fitting =
                    new Pipeline(
                            within, Optional.empty(), cost, device, fusing, ways, cache, searches);
            return bounded(fitting.plan(traced, bindings), strategy.get());
        }
        if (strategy.isPresent())
            return hauling()
                    .planned(Reversals.within(merged(traced), rooms()::asStrategySays), bindings);
        var key = new LoopSearch.Latest.Key(traced, bindings, device, cost, fusing, ways, places());
        var search = searches.of(key, () -> new LoopSearch(hauling(), merged(traced), bindings));
        return search.best(budget);
    }

    private Pipeline hauling() {
        var places = places();
        return places.isEmpty() ? this : costing(new LoopTransferCost(cost, places));
    }

    /** The places beside the arena that may be used. */
    private List<Place> places() {
        return budget.places().stream().filter(p -> ways.has(p.way())).toList();
    }

    /** What memory buys, and what each way adds; of the budget only the places count. */
    TradeOff tradeOff(Graph traced, List<Binding> bindings) {
        return hauling().allRooms(traced, bindings);
    }

    private Graph merged(Graph traced) {
        var simple = Simplify.of(traced);
        if (!fusing) return Early.of(Unread.of(Loops.merge(Fuse.unfused(simple))));
        var limits = device.fusion();
        return Early.of(
                Unread.of(
                        Loops.merge(
                                !places().isEmpty()
                                        ? Fuse.oneByOne(simple, limits)
                                        : Fuse.of(simple, limits))));
    }

    private TradeOff allRooms(Graph traced, List<Binding> bindings) {
        var merged = merged(traced);
        var rooms = rooms();
        var loops = new ArrayList<Reversals.Reversed>();
        var bodies = bodies();
        var all = new ArrayList<TradeOff.Variant>();
        var whole =
                Reversals.within(
                        merged,
                        loop -> {
                            loops.add(loop);
                            return rooms.room(loop, Long.MAX_VALUE);
                        });
        var inMemory = rooms.inMemory();
        boolean undo = rooms.undo(loops);
        long most = inMemory.mostStates(loops);
        for (long bound : bodies.bounds(whole)) {
            UnaryOperator<Graph> small = graph -> bodies.within(graph, bound);
            all.add(variant(merged, bindings, loop -> rooms.room(loop, Long.MAX_VALUE), small));
            for (long states = 0;
                    !loops.isEmpty() && states <= most;
                    states += Math.max(1, states)) {
                long room = states;
                all.add(variant(merged, bindings, loop -> inMemory.room(loop, room), small));
                if (undo) all.add(variant(merged, bindings, loop -> rooms.room(loop, room), small));
                for (var each : rooms.elsewhere(loops)) {
                    all.add(variant(merged, bindings, loop -> rooms.room(loop, room, each), small));
                    all.add(
                            variant(
                                    merged,
                                    bindings,
                                    loop -> rooms.moving(loop, room, each),
                                    small));
                }
            }
        }
        return new TradeOff(all);
    }

    private TradeOff.Variant variant(
            Graph merged,
            List<Binding> bindings,
            Reversals.Rooms rooms,
            UnaryOperator<Graph> bodies) {
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
                            } else if (room.get().memory().offloaded() > 0) {
                                needs.add(places().get(room.get().memory().place()).way());
                            }
                            return room;
                        });
        var needed = Ways.of(needs.toArray(Way[]::new));
        return new TradeOff.Variant(curve(bodies.apply(graph), bindings), needed, undone[0]);
    }

    Rooms rooms() {
        return new Rooms(places(), strategy, ways, new LoopTapes(cost, cache));
    }

    LoopBodies bodies() {
        return new LoopBodies(device, cost, cache);
    }

    private Plan planned(Graph graph, List<Binding> bindings) {
        var chosen = strategy.orElseThrow();
        var problem = problem(graph, bindings);
        var done = Flight.recorder().planning(chosen.toString());
        var plan = chosen.decide(problem, cost, workers(problem));
        done.accept(plan);
        return bounded(plan, chosen);
    }

    /** The best plan of {@code curve} within {@code bytes}. */
    Plan fitted(Curve curve, Budget bytes) {
        var done = Flight.recorder().planning(new Fit(bytes).toString());
        var plan = curve.at(bytes);
        done.accept(plan);
        return plan;
    }

    /** The plan that keeps at most so many bytes from the forward to the backward half. */
    Plan keeping(Curve curve, long bytes) {
        var strategy = new Saved.Bytes(bytes);
        var done = Flight.recorder().planning(strategy.toString());
        var plan = curve.plan(strategy.plan(curve.problem(), cost));
        done.accept(plan);
        return plan;
    }

    /** The best plan of {@code curve} beside what {@code bytes} set aside for workers, if any. */
    Optional<Plan> beside(Curve curve, Budget bytes) {
        var done = Flight.recorder().planning(new Fit(bytes).toString());
        var plan = curve.beside(bytes.resolve(0));
        plan.ifPresent(done);
        return plan;
    }

    Curve curve(Graph graph, List<Binding> bindings) {
        var problem = problem(graph, bindings);
        return new Curve(problem, cost, Curve.Measure.ARENA, workers(problem), cache);
    }

    private WorkerMemory workers(Problem problem) {
        return new WorkerMemory(device.threads(), device.ownBytes(Scratch.nodes(problem)));
    }

    private Problem problem(Graph graph, List<Binding> bindings) {
        var settled = InPlaceUpdates.of(new Problem(Scratch.add(graph, device), bindings));
        return settled.inverting(Scratch.inversions(settled.graph(), device))
                .with(budget.places())
                .only(ways);
    }

    /** A strategy of the user's choice is held to the budget too. */
    private Plan bounded(Plan plan, Planner chosen) {
        long bytes = budget.resolve(plan.storeAllBytes());
        for (var there : plan.layout().places()) {
            if (there.bytes() > there.place().bytes())
                throw tooMuchBeside(
                        chosen,
                        plan,
                        there.bytes(),
                        " in "
                                + there.place().name()
                                + ", which has room for "
                                + Budget.show(there.place().bytes()));
        }
        long homeless = places().isEmpty() ? offloaded(plan) : 0;
        if (homeless > 0)
            throw tooMuchBeside(
                    chosen, plan, homeless, " beside the arena, and the budget names no place");
        var bounded = plan.within(bytes);
        if (bounded.peakBytes() <= bytes) return bounded;
        throw new OverBudgetException(
                chosen
                        + " takes "
                        + Budget.show(bounded.peakBytes())
                        + ", the budget is "
                        + Budget.show(bytes)
                        + "; give it as much, keep less, or leave the strategy out and the plan"
                        + " will be fitted to the budget",
                bounded.peakBytes());
    }

    /** What loops keep outside memory. */
    private static long offloaded(Plan plan) {
        return plan.schedule().problem().graph().nodes().stream()
                .flatMap(node -> LoopStates.of(node).stream())
                .filter(LoopStates::forward)
                .mapToLong(LoopStates::bytes)
                .sum();
    }

    private static OverBudgetException tooMuchBeside(
            Planner chosen, Plan plan, long bytes, String where) {
        return new OverBudgetException(
                chosen
                        + " puts "
                        + Budget.show(bytes)
                        + where
                        + "; name a place with as much room, such as"
                        + " Budget.with(Disk.in(folder, bytes)), or keep fewer states there",
                plan.peakBytes());
    }
}
