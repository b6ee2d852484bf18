package dev.ebb.loop;

import dev.ebb.ir.Graph;
import dev.ebb.pass.tiling.Tiling;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.search.PlanFamilies;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the best plan of a program at any budget with the same places to offload to. The plans with
 * fewer places are always among the candidates, so that a further place never costs time. States
 * are updated together by one kernel or, if they may be offloaded, each by its own.
 */
final class ProgramSearch {
    private final ProgramPlanner planner;
    private final List<Binding> bindings;

    /**
     * One search for each selection of places that may have plans of its own, fewest first, and for
     * each way of updating states.
     */
    private final List<LoopSearch> searches = new ArrayList<>();

    /** The program and the places of each of these searches. */
    private final List<Searched> searched = new ArrayList<>();

    /**
     * The same for the tiled program: for each selection of places, most tiles first. Made when
     * first asked for.
     */
    private Optional<List<List<LoopSearch>>> tiledSearches = Optional.empty();

    /** The curves so far: other checkpoint areas and limits may lead to the same graph. */
    private final Map<Graph, Curve> curves = new HashMap<>();

    private final LoopBodies bodies;
    private final TradeOff.Forms forms =
            new TradeOff.Forms(this::smallest, this::between, this::everything);

    private record Searched(Graph graph, CheckpointAreas areas) {}

    ProgramSearch(ProgramPlanner planner, Graph simple, List<Binding> bindings) {
        this.planner = planner;
        this.bindings = bindings;
        var places = planner.places();
        var tapes = new LoopTapes(planner.cost(), planner.cache());
        bodies = new LoopBodies(planner.device(), planner.cost(), planner.ways(), planner.cache());
        var together = planner.merged(simple, ProgramPlanner.Updates.TOGETHER);
        var apart =
                places.isEmpty()
                        ? together
                        : planner.merged(simple, ProgramPlanner.Updates.ONE_BY_ONE);
        boolean same = together.equals(apart);
        for (var some : selections(apart)) {
            var areas = new CheckpointAreas(places, some, planner.ways(), tapes);
            if (some.isEmpty() || same || !LoopBodies.isIn(apart))
                searched.add(new Searched(together, areas));
            if (!some.isEmpty() && !same) searched.add(new Searched(apart, areas));
        }
        for (var each : searched) searches.add(search(each.graph, each.areas));
    }

    private LoopSearch search(Graph graph, CheckpointAreas areas) {
        return new LoopSearch(graph, areas, bodies, this::curve);
    }

    /** The searches of the tiled program, for each selection of places. */
    private List<List<LoopSearch>> tiledSearches() {
        if (tiledSearches.isPresent()) return tiledSearches.get();
        var all = new ArrayList<List<LoopSearch>>();
        if (planner.ways().has(Way.TILES)) {
            long bytes = searches.getLast().storeAllBytes();
            for (var each : searched) {
                var graphs = Tiling.of(each.graph, planner.device()::cutEvery, bytes);
                if (!graphs.isEmpty())
                    all.add(graphs.stream().map(g -> search(g, each.areas)).toList());
            }
        }
        tiledSearches = Optional.of(all);
        return all;
    }

    /** For a graph without loops one curve includes the plans with fewer places. */
    private List<List<Place>> selections(Graph graph) {
        return LoopBodies.isIn(graph)
                ? PlanFamilies.selections(planner.ways(), planner.places())
                : List.of(planner.places());
    }

    private Curve curve(Graph graph) {
        return curves.computeIfAbsent(graph, g -> planner.curve(g, bindings).or(forms));
    }

    private Curve everything() {
        return searches.getLast().everything();
    }

    private List<Curve> smallest() {
        var all = new ArrayList<>(searches.getLast().smallest());
        if (searches.size() > 1) all.addAll(searches.getFirst().smallest());
        // no program needs less memory with fewer tiles
        for (var search : tiledSearches()) all.addAll(search.getFirst().smallest());
        return all;
    }

    private List<Curve> between() {
        return searches.getLast().between();
    }

    /** The best plan in {@code budget}, whose places are those of this search. */
    synchronized Plan best(Budget budget) {
        try {
            return search(budget);
        } finally {
            // the results of their searches are in the cache
            curves.clear();
        }
    }

    private Plan search(Budget budget) {
        var all = searches.getLast();
        if (budget.memory() instanceof Budget.OfSaved(double share)) return all.saving(share);
        // a share is relative to keeping everything, whatever the loops keep in the end
        var bytes = budget.resolved(all.storeAllBytes());
        var best = Optional.<Plan>empty();
        for (var search : searches.reversed()) {
            long own = budget.resolve(search.storeAllBytes());
            var found = search.best(bytes.holding(Math.min(own, bytes.resolve(0))));
            if (found.isPresent() && (best.isEmpty() || found.get().cost() < best.get().cost()))
                best = found;
        }
        if (best.isPresent() && best.get().cost() <= all.storeAllCost()) return best.get();
        return tiledPlan(bytes, best).orElseGet(() -> all.refuse(bytes));
    }

    /**
     * The best tiled plan where it is cheaper than {@code whole}, or there is no other. Fewer tiles
     * are tried only if the most tiles fit: so the smallest budget is that of the most tiles.
     */
    private Optional<Plan> tiledPlan(Budget bytes, Optional<Plan> whole) {
        var best = whole;
        for (var each : tiledSearches()) {
            for (var search : each) {
                if (best.isPresent() && search.storeAllCost() >= best.get().cost()) continue;
                var found = search.best(bytes);
                if (found.isEmpty() && best.isEmpty()) break;
                if (found.isPresent() && (best.isEmpty() || found.get().cost() < best.get().cost()))
                    best = found;
            }
        }
        return best;
    }

    /** Time over budget, with a line for each way of restoring values. */
    synchronized TradeOff tradeOff() {
        try {
            var all = new ArrayList<>(searches.getFirst().variants());
            if (searches.size() > 1) all.addAll(searches.getLast().variants());
            for (var each : tiledSearches())
                for (var search : each)
                    for (var v : search.variants()) all.add(v.needing(Way.TILES));
            return new TradeOff(all);
        } finally {
            curves.clear();
        }
    }
}
