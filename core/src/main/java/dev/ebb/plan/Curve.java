package dev.ebb.plan;

import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.plan.search.LowerBounds;
import dev.ebb.plan.search.Member;
import dev.ebb.plan.search.MemberLayouts;
import dev.ebb.plan.search.Ordering;
import dev.ebb.plan.search.PlanFamilies;
import dev.ebb.plan.search.SearchEffort;
import dev.ebb.plan.search.SearchModel;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The trade-off of memory against time: for one problem and cost model, the fastest plan found at
 * every budget. Equal budgets give equal plans, and a larger budget never gives a slower one. A
 * budget is searched when it is first asked for; smaller ones are not.
 */
public final class Curve {

    /**
     * The memory that a budget bounds: the arena of a program or, where there is no arena, the live
     * bytes.
     */
    public enum Measure {
        ARENA,
        LIVE
    }

    /**
     * A corner of the curve: a budget in bytes, the predicted time of the best plan in it, and the
     * part of that time that each way of restoring values takes.
     */
    public record Point(long bytes, double cost, RestoreSummary mix) {
        /**
         * The point of the two with the smaller product of memory and time; at the knee of a curve
         * this product is smallest.
         */
        Point orLower(Point other) {
            return other.bytes * other.cost < bytes * cost ? other : this;
        }
    }

    private final SearchModel model;
    private final Cost cost;
    private final Measure measure;
    private final WorkerMemory workers;
    private final PlanFamilies families;
    private final Ways ways;
    private final List<Place> among;
    private final Member plain;
    private final MemberLayouts layouts;
    private final TradeOff.Forms forms;

    /** A curve whose budgets include the memory that workers use outside the arena. */
    public Curve(Problem problem, Cost cost, Measure measure, WorkerMemory workers) {
        this(problem, cost, measure, workers, SearchCache.NONE);
    }

    /** The same with a cache of search results. */
    public Curve(
            Problem problem, Cost cost, Measure measure, WorkerMemory workers, SearchCache cache) {
        this(problem, cost, measure, workers, SearchEffort.FULL, cache);
    }

    private Curve(
            Problem problem,
            Cost cost,
            Measure measure,
            WorkerMemory workers,
            SearchEffort effort,
            SearchCache cache) {
        forms = TradeOff.Forms.only(this);
        this.workers = workers;
        this.cost = cost;
        this.measure = measure;
        ways = Ways.in(problem);
        among = problem.places();
        families = new PlanFamilies(problem, cost, effort, cache);
        layouts =
                new MemberLayouts(
                        problem,
                        schedule ->
                                switch (measure) {
                                    case ARENA -> Layout.of(schedule, cache);
                                    case LIVE -> Layout.apart(schedule);
                                });
        model = new SearchModel(problem, cost);
        plain = new Member(model, new Ordering(model).plain(), 0, 0);
    }

    private Curve(Curve all, Ways ways, List<Place> among, TradeOff.Forms forms) {
        this.forms = forms;
        this.among = among;
        workers = all.workers;
        cost = all.cost;
        measure = all.measure;
        this.ways = ways;
        families = all.families;
        layouts = all.layouts;
        model = all.model;
        plain = all.plain;
    }

    /**
     * The curve of a part of a program, such as the body of a loop, which runs in its own memory.
     */
    public static Curve ofPart(Problem problem, Cost cost, SearchCache cache) {
        return new Curve(problem, cost, Measure.ARENA, WorkerMemory.NONE, SearchEffort.PART, cache);
    }

    /** The curve of the same problem if values may be restored only in these ways. */
    public Curve by(Ways allowed) {
        return new Curve(this, ways.and(allowed), among, forms);
    }

    /** The same problem with no other places outside the arena than {@code some} of its own. */
    public Curve among(List<Place> some) {
        var allowed = among.stream().filter(some::contains).toList();
        var kinds = allowed.stream().map(Place::way).toArray(Way[]::new);
        return new Curve(this, ways.without(Ways.places()).or(Ways.of(kinds)), allowed, forms);
    }

    /**
     * This curve, where the program may also be planned in other forms, with the least budget of
     * all.
     */
    public Curve or(TradeOff.Forms others) {
        return new Curve(this, ways, among, others);
    }

    /**
     * The curve of the program in the form that keeps everything: this one, unless this is that of
     * another form, whose loops keep less or whose regions are computed in tiles.
     */
    public Curve program() {
        return forms.program().get();
    }

    List<Place> among() {
        return among;
    }

    /** The ways in which values may be restored. */
    public Ways ways() {
        return ways;
    }

    /** For a device without memory outside the arena. */
    public Curve(Problem problem, Cost cost, Measure measure) {
        this(problem, cost, measure, WorkerMemory.NONE);
    }

    public Problem problem() {
        return model.problem;
    }

    public Cost cost() {
        return cost;
    }

    /** The least budget with which everything is computed once, in the graph's order. */
    public long storeAllBytes() {
        return workers.budgetFor(planned(layouts.of(plain)));
    }

    /** The cost of computing every node once. */
    public double storeAllCost() {
        return model.total();
    }

    /** The least budget for which {@link #at}, of this curve or another form, has a plan. */
    public long leastBytes() {
        return forms.least(this).ownLeast();
    }

    /** A lower bound for the arena of every plan; with places, parameters may lie outside of it. */
    long floor() {
        return among.isEmpty() ? LowerBounds.peak(model) : 0;
    }

    /** The least budget for which {@link #at} of this curve alone has a plan. */
    public long ownLeast() {
        synchronized (families) {
            return least().map(m -> planned(m) + workers.least()).orElse(Long.MAX_VALUE);
        }
    }

    /**
     * The knee: the point from which on more memory saves little time, on this curve or one of the
     * other forms.
     */
    public Point knee() {
        return forms.knee(this);
    }

    Point point(Member member) {
        synchronized (families) {
            return point(budgetFor(member), member, model.total(), 0);
        }
    }

    /** All plans whose values outside the arena fit their places. */
    Set<Member> members() {
        synchronized (families) {
            var members = new LinkedHashSet<>(families.members(ways, among));
            members.removeIf(m -> !layouts.fitPlaces(m));
            return members;
        }
    }

    /** The smallest plan; an arena is never smaller than the peak of what lives in it. */
    private Optional<Member> least() {
        var least = Optional.<Member>empty();
        long bytes = Long.MAX_VALUE;
        for (var member : families.members(ways, among)) {
            if (member.peak() >= bytes) break;
            if (!layouts.fitPlaces(member) || planned(member) >= bytes) continue;
            least = Optional.of(member);
            bytes = planned(member);
        }
        return least;
    }

    /**
     * The cheapest plan that fits into the budget without the memory reserved for workers. If none
     * does, the smallest plan, with as many workers as fit.
     */
    public Plan at(Budget budget) {
        if (budget.memory() instanceof Budget.OfSaved(double share))
            return plan(new SavedShare(share).plan(problem(), cost));
        long bytes = budget.resolve(storeAllBytes());
        return within(bytes).orElseThrow(() -> refusal(bytes));
    }

    /**
     * The plan of {@link #at}, none where no plan fits. With places outside the arena it is the
     * cheapest of the answers with each selection of them, so that a place more never costs time.
     */
    public Optional<Plan> within(long bytes) {
        synchronized (families) {
            answers(bytes);
            var best = Optional.<Plan>empty();
            for (var some : PlanFamilies.selections(ways, among)) {
                var curve = among(some);
                var found = curve.beside(bytes).or(() -> curve.smallest(bytes));
                if (best.isEmpty()
                        || found.isPresent() && isBetter(found.get().layout(), best.get().layout()))
                    best = found;
            }
            return best.map(p -> new Plan(p.layout(), p.lowerBound(), this, p.workers()));
        }
    }

    /** The smallest plan, if {@code bytes} hold it and one worker. */
    private Optional<Plan> smallest(long bytes) {
        if (families.floor(ways, among) + workers.least() > bytes) return Optional.empty();
        return least().filter(m -> planned(m) + workers.least() <= bytes)
                .map(layouts::of)
                .map(layout -> plan(layout, planned(layout), bytes));
    }

    /** A lower bound on the cost of every plan within {@code bytes}, computed without a search. */
    public double atLeast(long bytes) {
        // the search multiplies the cost of ops that are declared expensive
        if (model.isWeighted()) return model.total();
        return model.total()
                + LowerBounds.extra(model, workers.arenaLimit(bytes), plain.sequence());
    }

    /** The cheapest plan that fits into a budget beside the memory of workers, if any. */
    public Optional<Plan> beside(long bytes) {
        synchronized (families) {
            var best = Optional.<Layout>empty();
            for (var found : answers(bytes)) {
                if (found.isPresent() && (best.isEmpty() || isBetter(found.get(), best.get())))
                    best = found;
            }
            return best.map(layout -> plan(layout, workers.arenaLimit(bytes), bytes));
        }
    }

    /** The answer of each family, or the plan that computes everything once, if that fits. */
    private List<Optional<Layout>> answers(long bytes) {
        long limit = workers.arenaLimit(bytes);
        var all = layouts.of(plain);
        if (planned(all) <= limit) return List.of(Optional.of(all));
        return families.of(ways, among).parallelStream()
                .map(f -> f.answer(limit, m -> planned(m) <= limit && layouts.fitPlaces(m)))
                .map(found -> found.map(layouts::of))
                .toList();
    }

    /** Whether {@code more} is cheaper, or as cheap with less outside the arena. */
    private boolean isBetter(Layout more, Layout less) {
        int order = Double.compare(more.schedule().cost(cost), less.schedule().cost(cost));
        return order < 0 || order == 0 && more.offloadedBytes() <= less.offloadedBytes();
    }

    /** A plan from a schedule made in another way, with all threads of the device. */
    public Plan plan(Schedule schedule) {
        var layout = layouts.of(schedule);
        return plan(layout, planned(layout), Long.MAX_VALUE);
    }

    /** The corners, cheapest first. */
    public List<Point> points() {
        return TradeOff.alone(this);
    }

    /** The smallest plan, with one worker. */
    Optional<Point> leastPoint(double once, long undone) {
        synchronized (families) {
            return least().map(m -> point(planned(m) + workers.least(), m, once, undone));
        }
    }

    /**
     * The corners of plans that fit beside the memory of workers and that none of {@code known}
     * undercuts, of a program whose loops got a smaller checkpoint area: with one for all states it
     * costs {@code once}. Of its loops {@code undone} iterations are inverted.
     *
     * @param known corners of other programs, cheapest first
     */
    List<Point> points(double once, long undone, List<Point> known) {
        synchronized (families) {
            return TradeOff.undercutting(this, once, undone, known);
        }
    }

    /** The least budget that holds this plan and the memory reserved for workers. */
    long budgetFor(Member member) {
        return workers.budgetFor(planned(member));
    }

    Point point(long bytes, Member member, double once, long undone) {
        var layout = layouts.of(member);
        double seconds = layout.schedule().cost(cost);
        return new Point(bytes, seconds, RestoreSummary.of(layout, cost, seconds, once, undone));
    }

    Point storeAllPoint(double once, long undone) {
        synchronized (families) {
            return point(storeAllBytes(), plain, once, undone);
        }
    }

    Point storeAllPoint() {
        return storeAllPoint(model.total(), 0);
    }

    /** As {@link #planned(Layout)}, without laying out where there is no arena. */
    private long planned(Member member) {
        return switch (measure) {
            case ARENA -> layouts.of(member).arenaBytes();
            case LIVE -> member.peak();
        };
    }

    /** The bytes that a budget bounds, without the memory of workers. */
    long planned(Layout layout) {
        return switch (measure) {
            case ARENA -> layout.arenaBytes();
            case LIVE -> layout.schedule().footprint().peakBytes();
        };
    }

    /** The memory that the workers of the device use outside the arena. */
    WorkerMemory workers() {
        return workers;
    }

    /** A plan for {@code limit} bytes, with as many workers as {@code bytes} in all allow. */
    private Plan plan(Layout layout, long limit, long bytes) {
        return new Plan(
                layout,
                model.total() + LowerBounds.extra(model, limit, plain.sequence()),
                this,
                workers.within(bytes - planned(layout)));
    }

    private OverBudgetException refusal(long bytes) {
        var enough = new Refusal.Enough(forms.least(this), knee(), program().storeAllCost());
        return Refusal.of(bytes, enough, this, model);
    }
}
