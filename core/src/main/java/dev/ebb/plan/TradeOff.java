package dev.ebb.plan;

import dev.ebb.ir.Graph;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.plan.search.Member;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Predicted time over budget for a program, as several lines: one for recomputation alone, then one
 * for each further way of restoring values that is allowed. Loops can be given larger or smaller
 * checkpoint areas, and each choice has its own curve; a line takes the best of them. Along each
 * line time grows as memory shrinks; a line with more ways is never above one with fewer, and
 * reaches at least as small a budget.
 */
public final class TradeOff {

    /**
     * One form of a program, in which each loop has a checkpoint area of a certain size, and the
     * curve of that form.
     *
     * @param needs the ways that its loops use
     * @param undone how many of their iterations are undone in all
     */
    public record Variant(Curve curve, Ways needs, long undone) {

        /** The same variant, for a program that needs one more way. */
        public Variant needing(Way way) {
            return new Variant(curve, needs.or(Ways.of(way)), undone);
        }

        boolean isIn(Ways ways) {
            return needs.and(ways).equals(needs);
        }

        /** Whether the variant has the same plans with {@code more} ways as with {@code fewer}. */
        boolean isSame(Ways fewer, Ways more) {
            return isIn(fewer) && curve.by(fewer).ways().equals(curve.by(more).ways());
        }
    }

    /**
     * The other forms in which a program may be planned: a loop may keep less, a region may be
     * computed in tiles. Their curves are computed when needed.
     *
     * @param smallest the forms among which the one with the smallest budget is
     * @param between the forms between these and the one that keeps everything
     * @param program the form that keeps everything
     */
    public record Forms(
            Supplier<List<Curve>> smallest,
            Supplier<List<Curve>> between,
            Supplier<Curve> program) {

        /** No other form. */
        static Forms only(Curve curve) {
            return new Forms(List::of, List::of, () -> curve);
        }

        /** The curve with the least budget, {@code own} or another. */
        Curve least(Curve own) {
            var best = own;
            for (var o : smallest.get()) {
                boolean perhaps = o.floor() + o.workers().least() < best.ownLeast();
                if (perhaps && o.ownLeast() < best.ownLeast()) best = o;
            }
            return best;
        }

        /** The knee of all: that of {@code own}, of the smallest forms, or a form in between. */
        Curve.Point knee(Curve own) {
            var best = alone(own);
            for (var other : smallest.get()) best = best.orLower(alone(other));
            for (var other : between.get()) best = best.orLower(other.storeAllPoint());
            return best;
        }

        /** The point of the smallest plan by live bytes, so that only that plan is laid out. */
        private static Curve.Point alone(Curve curve) {
            var all = curve.storeAllPoint();
            return curve.members().stream()
                    .min(Comparator.comparingDouble(m -> memoryTimesTime(curve, m)))
                    .map(m -> curve.point(m).orLower(all))
                    .orElse(all);
        }

        private static double memoryTimesTime(Curve curve, Member member) {
            return curve.workers().budgetFor(member.peak())
                    * (curve.storeAllCost() + member.extra());
        }
    }

    /** The corners of the curve that a set of ways of restoring values allows, cheapest first. */
    public record Line(Ways ways, List<Curve.Point> points) {
        public Line {
            points = List.copyOf(points);
        }

        /** The least budget for which these ways suffice. */
        public long leastBytes() {
            return points.getLast().bytes();
        }

        /** The cheapest point within {@code bytes} of memory; none below the least budget. */
        public Optional<Curve.Point> at(long bytes) {
            return points.stream().filter(p -> p.bytes() <= bytes).findFirst();
        }
    }

    /** Sums of costs that are added in another order may differ by this share. */
    private static final double ROUNDING = 1e-9;

    private final List<Line> lines = new ArrayList<>();

    /** The trade-off of these variants, the first of which keeps everything. */
    public TradeOff(List<Variant> variants) {
        var whole = variants.getFirst().curve();
        var different = different(variants);
        double once = whole.storeAllCost();
        var first = whole.by(Ways.recomputing()).storeAllPoint();
        var all = Ways.recomputing();
        for (var v : different) all = all.or(v.needs()).or(v.curve().ways());
        var before = Optional.<Ways>empty();
        long least = Long.MAX_VALUE;
        for (var ways : all.oneByOne()) {
            var corners = lines.isEmpty() ? List.of(first) : lines.getLast().points();
            var smallest = Optional.<Variant>empty();
            for (var v : different) {
                if (!v.isIn(ways) || before.isPresent() && v.isSame(before.get(), ways)) continue;
                var curve = v.curve().by(ways);
                if (!lines.isEmpty() && isAbove(curve, corners, least)) continue;
                var found = new ArrayList<>(corners);
                found.addAll(curve.points(once, v.undone(), corners));
                corners = corners(first, found);
                if (curve.ownLeast() < least) {
                    least = curve.ownLeast();
                    smallest = Optional.of(v);
                }
            }
            lines.add(new Line(ways, withLeast(first, corners, smallest, ways, once)));
            before = Optional.of(ways);
        }
    }

    /** Different checkpoint areas and bounds may give the same program, which is planned once. */
    private static List<Variant> different(List<Variant> variants) {
        record Program(Graph graph, List<Place> among, Ways needs, long undone) {}
        var seen = new HashSet<Program>();
        var different = new ArrayList<Variant>();
        for (var v : variants) {
            var curve = v.curve();
            if (seen.add(
                    new Program(curve.problem().graph(), curve.among(), v.needs(), v.undone())))
                different.add(v);
        }
        return different;
    }

    /**
     * Whether no plan of {@code curve} can be a further corner next to the {@code known} ones, or
     * need less than {@code least} bytes; decided without a search.
     */
    private static boolean isAbove(Curve curve, List<Curve.Point> known, long least) {
        var workers = curve.workers();
        if (curve.floor() + workers.least() < least
                || workers.budgetFor(curve.floor()) < known.getLast().bytes()) return false;
        for (int i = 1; i < known.size(); i++) {
            double lower = curve.atLeast(known.get(i - 1).bytes() - 1);
            if (lower < known.get(i).cost() * (1 + ROUNDING)) return false;
        }
        return true;
    }

    private record Priced(Member member, double cost) {}

    /** The points of {@link Curve#points(double, long, List)}. */
    static List<Curve.Point> undercutting(
            Curve curve, double once, long undone, List<Curve.Point> known) {
        var all = new ArrayList<Priced>();
        for (var m : curve.members()) all.add(new Priced(m, m.schedule().cost(curve.cost())));
        all.sort(
                Comparator.comparingDouble(Priced::cost).thenComparingLong(p -> p.member().peak()));
        var points = new ArrayList<Curve.Point>();
        long least = curve.storeAllBytes();
        if (least < fewest(known, curve.storeAllCost()))
            points.add(curve.storeAllPoint(once, undone));
        for (var priced : all) {
            var member = priced.member();
            least = Math.min(least, fewest(known, priced.cost()));
            // the arena is at least as large as the peak, so most members can be skipped without a
            // layout
            if (curve.workers().budgetFor(member.peak()) >= least) continue;
            long bytes = curve.budgetFor(member);
            if (bytes >= least) continue;
            points.add(curve.point(bytes, member, once, undone));
            least = bytes;
        }
        return points;
    }

    /** The fewest bytes of a point that costs no more than {@code cost}. */
    private static long fewest(List<Curve.Point> known, double cost) {
        long bytes = Long.MAX_VALUE;
        for (var point : known) if (point.cost() <= cost) bytes = Math.min(bytes, point.bytes());
        return bytes;
    }

    /** The corners with the smallest plan of all among them, with one worker. */
    private static List<Curve.Point> withLeast(
            Curve.Point first,
            List<Curve.Point> corners,
            Optional<Variant> smallest,
            Ways ways,
            double once) {
        if (smallest.isEmpty()) return corners;
        var v = smallest.get();
        var found = new ArrayList<>(corners);
        v.curve().by(ways).leastPoint(once, v.undone()).ifPresent(found::add);
        return corners(first, found);
    }

    /** The trade-off of a program without loops. */
    public static TradeOff of(Curve curve) {
        return new TradeOff(List.of(new Variant(curve, Ways.recomputing(), 0)));
    }

    /** The lines: recomputation alone, then with one more way each. */
    public List<Line> lines() {
        return List.copyOf(lines);
    }

    /** The last line: all ways together. */
    public List<Curve.Point> points() {
        return lines.getLast().points();
    }

    public long storeAllBytes() {
        return points().getFirst().bytes();
    }

    /** The cost of computing everything once and keeping it. */
    public double storeAllCost() {
        return points().getFirst().cost();
    }

    /** The least budget that can be planned for. */
    public long leastBytes() {
        return points().getLast().bytes();
    }

    /** The corners of one curve, with all its ways at once. */
    static List<Curve.Point> alone(Curve curve) {
        var first = curve.storeAllPoint();
        var corners = new ArrayList<>(curve.points(first.cost(), 0, List.of(first)));
        curve.leastPoint(first.cost(), 0).ifPresent(corners::add);
        return corners(first, corners);
    }

    /** {@code first} and those points that take less memory than all cheaper ones. */
    static List<Curve.Point> corners(Curve.Point first, List<Curve.Point> all) {
        var sorted = new ArrayList<>(all);
        sorted.sort(
                Comparator.comparingDouble(Curve.Point::cost)
                        .thenComparingLong(Curve.Point::bytes));
        var corners = new ArrayList<>(List.of(first));
        for (var point : sorted) if (point.bytes() < corners.getLast().bytes()) corners.add(point);
        return corners;
    }
}
