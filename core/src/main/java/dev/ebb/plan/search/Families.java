package dev.ebb.plan.search;

import dev.ebb.ir.Table;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.List;

/**
 * The families of plans of one problem, from computing again alone to all that is allowed. A family
 * with one way more holds the plans of those before it too: the answer to a budget is the cheapest
 * of what each of them answers. So a way more never costs time, and since each family gets dearer
 * with less memory, so does the cheapest of them.
 */
public final class Families {
    private final Problem problem;
    private final Cost cost;
    private final Effort effort;
    private final SearchCache cache;
    private final Table<Ways, List<Frontier>> known = new Table<>();

    public Families(Problem problem, Cost cost, Effort effort, SearchCache cache) {
        this.cache = cache;
        this.problem = problem;
        this.cost = cost;
        this.effort = effort;
    }

    /** Those of {@code ways}, smaller ones first. */
    public List<Frontier> of(Ways ways) {
        var all = new ArrayList<Frontier>();
        for (var step : ways.and(Ways.in(problem)).oneByOne()) {
            if (!known.has(step)) known.put(step, made(step, List.copyOf(all)));
            all.addAll(known.at(step));
        }
        return all;
    }

    /** What lies on the disk from the start, and what ends there, makes a family of its own. */
    private List<Frontier> made(Ways ways, List<Frontier> smaller) {
        var allowed = problem.only(ways);
        var here = new Frontier(new Model(allowed, cost), cost, smaller, effort, cache);
        if (!allowed.disk().isPresent()) return List.of(here);
        var away = new Model(allowed, cost, true);
        if (away.awayBytes() > allowed.disk().bytes()) return List.of(here);
        var before = new ArrayList<>(smaller);
        before.add(here);
        return List.of(here, new Frontier(away, cost, before, effort, cache));
    }
}
