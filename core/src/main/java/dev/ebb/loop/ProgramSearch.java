package dev.ebb.loop;

import dev.ebb.ir.Graph;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Curve;
import dev.ebb.plan.Plan;
import dev.ebb.plan.TradeOff;
import dev.ebb.plan.schedule.Binding;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.search.Families;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the best plan of a program in any budget with the same places beside the arena. The plan
 * with fewer of the places is always among the candidates, so that a further place never costs
 * time: without places, states are updated together by one kernel, and loops are given other rooms.
 */
final class ProgramSearch {
    private final ProgramPlanner planner;
    private final List<Binding> bindings;

    /** One search for each selection of places that may have plans of its own, fewest first. */
    private final List<LoopSearch> searches = new ArrayList<>();

    /** The curves so far: other rooms and bounds may come to the same graph. */
    private final Map<Graph, Curve> curves = new HashMap<>();

    ProgramSearch(ProgramPlanner planner, Graph simple, List<Binding> bindings) {
        this.planner = planner;
        this.bindings = bindings;
        var places = planner.places();
        var tapes = new LoopTapes(planner.cost(), planner.cache());
        var bodies =
                new LoopBodies(planner.device(), planner.cost(), planner.ways(), planner.cache());
        var together = planner.merged(simple, ProgramPlanner.Updates.TOGETHER);
        var apart =
                places.isEmpty()
                        ? together
                        : planner.merged(simple, ProgramPlanner.Updates.ONE_BY_ONE);
        for (var some : selections(together, apart)) {
            var rooms = new Rooms(places, some, planner.ways(), tapes);
            var graph = some.isEmpty() ? together : apart;
            searches.add(new LoopSearch(graph, rooms, bodies, this::curve));
        }
    }

    /** A curve of a graph without loops has the plans with fewer places itself. */
    private List<List<Place>> selections(Graph together, Graph apart) {
        var places = planner.places();
        if (LoopBodies.isIn(apart)) return Families.selections(planner.ways(), places);
        return together.equals(apart) ? List.of(places) : List.of(List.of(), places);
    }

    private Curve curve(Graph graph) {
        return curves.computeIfAbsent(graph, g -> planner.curve(g, bindings).or(this::smallest));
    }

    private List<Curve> smallest() {
        var all = new ArrayList<>(searches.getLast().smallest());
        if (searches.size() > 1) all.addAll(searches.getFirst().smallest());
        return all;
    }

    /** The best plan in {@code budget}, of which the places are this search's. */
    synchronized Plan best(Budget budget) {
        try {
            return search(budget);
        } finally {
            // what their searches found is in the cache
            curves.clear();
        }
    }

    private Plan search(Budget budget) {
        var all = searches.getLast();
        if (budget.memory() instanceof Budget.OfSaved(double share)) return all.saving(share);
        // a share is one of keeping everything, whatever the loops are given in the end
        var bytes = budget.resolved(all.storeAllBytes());
        var best = Optional.<Plan>empty();
        for (var search : searches.reversed()) {
            long own = budget.resolve(search.storeAllBytes());
            var found = search.best(bytes.holding(Math.min(own, bytes.resolve(0))));
            if (found.isPresent() && (best.isEmpty() || found.get().cost() < best.get().cost()))
                best = found;
        }
        return best.orElseGet(() -> all.refuse(bytes));
    }

    /** What memory buys, and what each way adds. */
    synchronized TradeOff tradeOff() {
        try {
            var all = new ArrayList<>(searches.getFirst().variants());
            if (searches.size() > 1) all.addAll(searches.getLast().variants());
            return new TradeOff(all);
        } finally {
            curves.clear();
        }
    }
}
