package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What memory buys: for one problem under one cost model, the cheapest plan found at every budget.
 * Whoever asks twice gets the same answer, and a larger budget never gets a dearer one. The work is
 * done when first needed, and as far down as needed: a budget that everything fits into takes none,
 * one just below that little.
 */
public final class Curve {

    /**
     * What a budget bounds: the arena in which a program runs, or the bytes alive, where there is
     * no arena.
     */
    public enum Measure {
        ARENA,
        LIVE
    }

    /** A corner of the curve: with this much memory, that much time. */
    public record Point(long bytes, double cost) {}

    private final Model model;
    private final Cost cost;
    private final Measure measure;
    private final long reserved;
    private final Frontier.Member plain;
    private final Map<Frontier.Member, Layout> layouts = new HashMap<>();
    private List<Frontier.Member> family = List.of();
    private @Nullable Frontier frontier;

    /** Every budget also has to hold {@code reserved} bytes that a device owns beside the arena. */
    public Curve(Problem problem, Cost cost, Measure measure, long reserved) {
        this.reserved = reserved;
        this.cost = cost;
        this.measure = measure;
        model = new Model(problem, cost);
        plain = new Frontier.Member(model, new Ordering(model).plain(), 0, 0);
    }

    public Curve(Problem problem, Cost cost, Measure measure) {
        this(problem, cost, measure, 0);
    }

    public Curve(Problem problem, Cost cost) {
        this(problem, cost, Measure.ARENA);
    }

    public Problem problem() {
        return model.problem;
    }

    public Cost cost() {
        return cost;
    }

    Model model() {
        return model;
    }

    /** What computing everything once, in the graph's order, takes. */
    public long storeAllBytes() {
        return promised(storeAll());
    }

    /** The cost of computing every node once. */
    public double storeAllCost() {
        return model.total();
    }

    /** The least budget for which {@link #at} has a plan. */
    public synchronized long leastBytes() {
        long least = Long.MAX_VALUE;
        for (var member : family().reversed()) {
            if (member.peak() >= least) break;
            least = Math.min(least, promised(member));
        }
        return least;
    }

    /** The cheapest plan whose promised peak fits. */
    public synchronized Plan at(Budget budget) {
        if (budget instanceof Budget.OfSaved(double share))
            return plan(new Saved(share).plan(problem(), cost));
        var all = storeAll();
        long bytes = budget.resolve(promised(all));
        if (promised(all) <= bytes) return plan(all, bytes);
        if (problem().disk().isPresent()) return at(bytes, family());
        int generations = 0;
        do {
            generations++;
            for (var member : frontier().members(generations)) {
                if (member.peak() > bytes - reserved) continue;
                if (promised(member) <= bytes) return plan(layout(member), bytes);
            }
        } while (generations < frontier().size() || frontier().grow());
        throw refusal(bytes);
    }

    private Plan at(long bytes, List<Frontier.Member> members) {
        for (var member : members) {
            if (member.peak() > bytes - reserved) continue;
            if (promised(member) <= bytes && fitsDisk(member)) return plan(layout(member), bytes);
        }
        throw refusal(bytes);
    }

    private boolean fitsDisk(Frontier.Member member) {
        return layout(member).shelves().bytes() <= problem().disk().bytes();
    }

    /** A plan made in another way, set beside this curve. */
    public Plan plan(Schedule schedule) {
        var layout = Layout.of(schedule);
        return plan(layout, promised(layout));
    }

    /** The corners, cheapest first. */
    public synchronized List<Point> points() {
        var points = new ArrayList<Point>();
        points.add(new Point(promised(storeAll()), model.total()));
        for (var member : family()) {
            var layout = layout(member);
            if (promised(layout) < points.getLast().bytes()) {
                points.add(new Point(promised(layout), layout.schedule().cost(cost)));
            }
        }
        return points;
    }

    private Layout storeAll() {
        return layout(plain);
    }

    /** Every plan there is; largest peak first, cheapest first. */
    private List<Frontier.Member> family() {
        if (family.isEmpty()) {
            var all = new ArrayList<>(frontier().all());
            var disk = problem().disk();
            if (disk.isPresent()) {
                var away = new Model(problem(), cost, true);
                if (away.awayBytes() <= disk.bytes()) all.addAll(new Frontier(away, cost).all());
            }
            family = Frontier.pruned(all);
        }
        return family;
    }

    private Frontier frontier() {
        var known = frontier;
        if (known == null) {
            known = new Frontier(model, cost);
            frontier = known;
        }
        return known;
    }

    private Layout layout(Frontier.Member member) {
        return layouts.computeIfAbsent(member, m -> Layout.of(m.schedule()));
    }

    /** As {@link #promised(Layout)}, without laying out what has no arena. */
    private long promised(Frontier.Member member) {
        return reserved
                + switch (measure) {
                    case ARENA -> layout(member).arenaBytes();
                    case LIVE -> member.peak();
                };
    }

    long promised(Layout layout) {
        return reserved
                + switch (measure) {
                    case ARENA -> layout.arenaBytes();
                    case LIVE -> layout.schedule().footprint().peakBytes();
                };
    }

    private Plan plan(Layout layout, long bytes) {
        return new Plan(
                layout,
                model.total() + Bounds.extra(model, bytes - reserved, plain.sequence()),
                this);
    }

    /** Names the step at which the smallest plan is largest. */
    private OverBudgetException refusal(long bytes) {
        long least = leastBytes();
        var smallest = family().getLast();
        var way = smallest.largest().map(this::inTheWay).orElse("its parameters");
        return new OverBudgetException(
                "a budget of "
                        + Budget.show(bytes)
                        + " is too small: the least that works is "
                        + Budget.show(least)
                        + ". In the way is "
                        + way
                        + (reserved > 0 ? "; the device keeps " + Budget.show(reserved) : "")
                        + (model.paramBytes > 0
                                ? "; parameters take " + Budget.show(model.paramBytes) + " in all"
                                : ""),
                least);
    }

    private String inTheWay(Node node) {
        return node.op().name()
                + (node.region().isTop() ? "" : " in " + node.region())
                + ", which reads "
                + operands(node.inputs())
                + " and writes "
                + operands(node.outputs());
    }

    private String operands(List<Value> values) {
        if (values.isEmpty()) return "nothing";
        return values.stream()
                .distinct()
                .map(v -> v + " (" + Budget.show(problem().bytes(v)) + ")")
                .collect(Collectors.joining(", "));
    }
}
