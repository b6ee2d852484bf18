package dev.ebb.plan.search;

import dev.ebb.ir.Table;
import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Ways;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/**
 * The families of plans of one problem, by the set of ways and places they may use, from
 * recomputation alone to everything allowed. A larger family includes the plans of smaller ones:
 * the answer for a budget is the cheapest over all families. So a further way or place never costs
 * time, and as each family gets slower with less memory, so does the answer. Every selection of up
 * to three places is a family: with up to four places, no selection of them is ever predicted to be
 * faster than all of them together.
 */
public final class PlanFamilies {
    private final Problem problem;
    private final Cost cost;
    private final SearchEffort effort;
    private final SearchCache cache;
    private final Table<Key, List<Frontier>> known = new Table<>();

    private record Key(Ways ways, List<Place> places) {}

    public PlanFamilies(Problem problem, Cost cost, SearchEffort effort, SearchCache cache) {
        this.cache = cache;
        this.problem = problem;
        this.cost = cost;
        this.effort = effort;
    }

    /** The families for {@code ways}, smaller ones first. */
    public List<Frontier> of(Ways ways) {
        return of(ways, problem.places());
    }

    /** The families for {@code ways} that use only places of {@code among}, smaller ones first. */
    public List<Frontier> of(Ways ways, List<Place> among) {
        var all = new ArrayList<Frontier>();
        var inMemory = ways.and(Ways.in(problem)).without(Ways.places());
        for (var step : inMemory.oneByOne()) {
            all.addAll(made(new Key(step, List.of()), List.copyOf(all)));
        }
        var before = List.copyOf(all);
        var done = new ArrayList<List<Place>>();
        for (var some : selections(ways, among)) {
            if (some.isEmpty()) continue;
            var smaller = new ArrayList<>(before);
            for (var fewer : done) {
                if (new HashSet<>(some).containsAll(fewer))
                    smaller.addAll(known.at(new Key(inMemory, fewer)));
            }
            all.addAll(made(new Key(inMemory, some), smaller));
            done.add(some);
        }
        return all;
    }

    /** A lower bound on the memory of every plan for {@code ways} and {@code among}. */
    public long floor(Ways ways, List<Place> among) {
        return of(ways, among).stream().mapToLong(f -> f.floor).min().orElseThrow();
    }

    /** Every member of the families for {@code ways} and {@code among}, smallest peak first. */
    public List<Member> members(Ways ways, List<Place> among) {
        var members = new ArrayList<Member>();
        of(ways, among).parallelStream().map(Frontier::all).toList().forEach(members::addAll);
        members.sort(Comparator.comparingLong(Member::peak));
        return members;
    }

    /**
     * Selections of more places than this are searched only as prefixes of the list, nearer kinds
     * first.
     */
    private static final int EVERY = 3;

    /**
     * The selections of {@code places} that are searched, smaller ones first: every one of up to
     * three of those that {@code ways} allow, then the first four, five and so on up to all of
     * them, those of a nearer kind first. Of four places that is every selection; of many, it is
     * far fewer than all, whose number doubles with each place.
     */
    public static List<List<Place>> selections(Ways ways, List<Place> places) {
        var allowed = places.stream().filter(p -> ways.has(p.way())).toList();
        var all = new ArrayList<List<Place>>(List.of(List.of()));
        for (var place : allowed) {
            for (var fewer : List.copyOf(all)) {
                if (fewer.size() == EVERY) continue;
                var more = new ArrayList<>(fewer);
                more.add(place);
                all.add(List.copyOf(more));
            }
        }
        all.sort(Comparator.comparingInt(List::size));
        var nearest = allowed.stream().sorted(Comparator.comparing(Place::way)).toList();
        for (int count = EVERY + 1; count <= nearest.size(); count++) {
            var first = nearest.subList(0, count);
            all.add(allowed.stream().filter(first::contains).toList());
        }
        return all;
    }

    /**
     * Problems with parameters that start, or results that end, outside the arena have their own
     * family.
     */
    private List<Frontier> made(Key key, List<Frontier> smaller) {
        if (known.has(key)) return known.at(key);
        var allowed = problem.only(key.ways.or(Ways.places()));
        var found = new ArrayList<Frontier>();
        found.add(
                new Frontier(
                        new SearchModel(allowed, cost, key.places, false), smaller, effort, cache));
        if (!key.places.isEmpty()) {
            var away = new SearchModel(allowed, cost, key.places, true);
            var before = new ArrayList<>(smaller);
            before.addAll(found);
            if (away.fitsAway) found.add(new Frontier(away, before, effort, cache));
        }
        known.put(key, found);
        return found;
    }
}
