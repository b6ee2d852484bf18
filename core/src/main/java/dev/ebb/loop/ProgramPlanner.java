package dev.ebb.loop;

import dev.ebb.exec.Device;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.ir.Graph;
import dev.ebb.pass.EarlyStart;
import dev.ebb.pass.Fuse;
import dev.ebb.pass.Loops;
import dev.ebb.pass.Simplify;
import dev.ebb.pass.UnreadStacks;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Fit;
import dev.ebb.plan.Plan;
import dev.ebb.plan.Planner;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.WorkerMemory;
import dev.ebb.plan.cache.PlanCache;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.cost.LoopTransferCost;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.InPlaceUpdates;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Ways;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes the plan of a whole program from its traced graph: simplifies and fuses the graph, decides
 * what loops keep for their reverse and in how much memory their bodies run, and plans the rest in
 * the remaining budget.
 *
 * @param budget the memory that the program may own, the device's own memory included
 * @param strategy the strategy, if it is not the default one that fits the budget
 * @param fusing whether ops are merged into as few kernels as pay
 * @param ways how values may be restored, besides by computing them again
 * @param cache results of earlier searches
 * @param searches the latest searches, shared by all planners made from one another
 * @param listener receives every plan
 */
public record ProgramPlanner(
        Budget budget,
        Optional<Planner> strategy,
        Cost cost,
        Device device,
        boolean fusing,
        Ways ways,
        SearchCache cache,
        RecentSearches searches,
        PlanningListener listener) {

    /** A planner for {@code device}, with the costs of the device and without a limit on memory. */
    public static ProgramPlanner on(Device device, PlanningListener listener) {
        return new ProgramPlanner(
                Budget.unlimited(),
                Optional.empty(),
                device.cost(),
                device,
                true,
                Ways.every(),
                PlanCache.inMemory(),
                new RecentSearches(),
                listener);
    }

    public ProgramPlanner within(Budget bound) {
        return new ProgramPlanner(
                bound, strategy, cost, device, fusing, ways, cache, searches, listener);
    }

    /** The same on another device, planned by that device's own costs. */
    public ProgramPlanner on(Device other) {
        return new ProgramPlanner(
                budget, strategy, other.cost(), other, fusing, ways, cache, searches, listener);
    }

    public ProgramPlanner with(Planner planner) {
        return with(Optional.of(planner));
    }

    private ProgramPlanner with(Optional<Planner> planner) {
        return new ProgramPlanner(
                budget, planner, cost, device, fusing, ways, cache, searches, listener);
    }

    public ProgramPlanner costing(Cost other) {
        return new ProgramPlanner(
                budget, strategy, other, device, fusing, ways, cache, searches, listener);
    }

    public ProgramPlanner unfused() {
        return new ProgramPlanner(
                budget, strategy, cost, device, false, ways, cache, searches, listener);
    }

    public ProgramPlanner only(Ways allowed) {
        return new ProgramPlanner(
                budget, strategy, cost, device, fusing, allowed, cache, searches, listener);
    }

    public ProgramPlanner caching(SearchCache other) {
        return new ProgramPlanner(
                budget,
                strategy,
                cost,
                device,
                fusing,
                ways,
                other,
                new RecentSearches(),
                listener);
    }

    /** The best plan for {@code traced}. */
    public Plan plan(Graph traced, List<Binding> bindings) {
        if (strategy.isEmpty())
            return reported(
                    new Fit(budget).toString(), () -> search(traced, bindings).best(budget));
        var chosen = strategy.get();
        if (chosen instanceof Fit(var own)) {
            // the default strategy within its own budget, and within the program's too
            var within =
                    own.places().isEmpty()
                            ? new Budget.WithPlaces(own.memory(), budget.places())
                            : own;
            var plan = within(within).with(Optional.empty()).plan(traced, bindings);
            return StrategyLimits.hold(plan, chosen, budget, places());
        }
        return costingTransfers().plannedBy(chosen, traced, bindings);
    }

    /**
     * Time over budget, with a line for each way of restoring values; of the budget only its places
     * matter.
     */
    public TradeOff tradeOff(Graph traced, List<Binding> bindings) {
        return search(traced, bindings).tradeOff();
    }

    private ProgramSearch search(Graph traced, List<Binding> bindings) {
        var key = new RecentSearches.Key(traced, bindings, device, cost, fusing, ways, places());
        return searches.of(
                key, () -> new ProgramSearch(costingTransfers(), Simplify.of(traced), bindings));
    }

    private Plan plannedBy(Planner chosen, Graph traced, List<Binding> bindings) {
        var updates = places().isEmpty() ? Updates.TOGETHER : Updates.ONE_BY_ONE;
        var loops = new StrategyLoops(chosen, cost, device, places());
        var problem = problem(loops.planned(merged(Simplify.of(traced), updates)), bindings);
        var plan =
                reported(chosen.toString(), () -> chosen.decide(problem, cost, workers(problem)));
        return StrategyLimits.hold(plan, chosen, budget, places());
    }

    private ProgramPlanner costingTransfers() {
        var places = places();
        return places.isEmpty() ? this : costing(new LoopTransferCost(cost, places));
    }

    /** The places outside the arena that may be used. */
    List<Place> places() {
        return budget.places().stream().filter(p -> ways.has(p.way())).toList();
    }

    /** How states with common inputs are updated. */
    enum Updates {
        /** By as few kernels as pay off. */
        TOGETHER,

        /** Each by its own kernel, so that offloaded states need not be in memory together. */
        ONE_BY_ONE
    }

    /** The kernels of a simplified graph, its loops merged with those of their derivatives. */
    Graph merged(Graph simple, Updates updates) {
        return EarlyStart.of(UnreadStacks.of(Loops.merge(fused(simple, updates))));
    }

    private Graph fused(Graph simple, Updates updates) {
        if (!fusing) return Fuse.unfused(simple);
        return switch (updates) {
            case TOGETHER -> Fuse.of(simple, device.fusion());
            case ONE_BY_ONE -> Fuse.oneByOne(simple, device.fusion());
        };
    }

    private Plan reported(String name, Supplier<Plan> planning) {
        var done = listener.planning(name);
        var plan = planning.get();
        done.accept(plan);
        return plan;
    }

    /** Time over budget for a graph whose loops and bodies are decided. */
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
}
