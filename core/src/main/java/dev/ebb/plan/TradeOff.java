package dev.ebb.plan;

import dev.ebb.plan.schedule.Way;
import dev.ebb.plan.schedule.Ways;
import dev.ebb.plan.search.Frontier;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What memory buys for a program, and what each way of bringing values back adds to that: a line of
 * budgets and predicted times for computing again alone, then one for each way more. Loops can be
 * given more or less room, which makes a graph, and so a curve, of its own for each; a line takes
 * the best of them all. Each line gets dearer with less memory, and one with a way more is never
 * above one without it, nor does it end earlier.
 */
public final class TradeOff {

    /**
     * One form of a program, in which each loop has a certain amount of memory for states and
     * tapes, and the curve of that form.
     *
     * @param needs the ways that its loops use
     * @param undone how many of their rounds are undone in all
     */
    public record Variant(Curve curve, Ways needs, long undone) {

        /** The same, of a program that needs one way more. */
        public Variant needing(Way way) {
            return new Variant(curve, needs.or(Ways.of(way)), undone);
        }

        boolean isIn(Ways ways) {
            return needs.and(ways).equals(needs);
        }
    }

    /**
     * The forms in which a program may be planned beside the one that a curve is of: a loop may
     * keep less, a region may be computed in parts. Their curves are made when asked for.
     *
     * @param smallest those among which the least budget is
     * @param between those that lie between the smallest and the one that keeps everything
     * @param program the one that keeps everything
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
            for (var other : smallest.get()) if (other.ownLeast() < best.ownLeast()) best = other;
            return best;
        }

        /** The knee of all: that of {@code own}, of the smallest forms, or a form in between. */
        Curve.Point knee(Curve own) {
            var best = alone(own);
            for (var other : smallest.get()) best = best.orLower(alone(other));
            for (var other : between.get()) best = best.orLower(other.storeAllPoint());
            return best;
        }

        /** By live bytes, so that only what is found is laid out. */
        private static Curve.Point alone(Curve curve) {
            var all = curve.storeAllPoint();
            return curve.members().stream()
                    .min(Comparator.comparingDouble(m -> memoryTimesTime(curve, m)))
                    .map(m -> curve.point(m).orLower(all))
                    .orElse(all);
        }

        private static double memoryTimesTime(Curve curve, Frontier.Member member) {
            return curve.workers().budgetFor(member.peak())
                    * (curve.storeAllCost() + member.extra());
        }
    }

    /**
     * The corners of the curve that a set of ways of bringing values back allows, cheapest first.
     */
    public record Line(Ways ways, List<Curve.Point> points) {
        public Line {
            points = List.copyOf(points);
        }

        /** The least budget that these ways can do with. */
        public long leastBytes() {
            return points.getLast().bytes();
        }

        /** The cheapest that {@code bytes} of memory allow; none below the least budget. */
        public Optional<Curve.Point> at(long bytes) {
            return points.stream().filter(p -> p.bytes() <= bytes).findFirst();
        }
    }

    private final List<Line> lines = new ArrayList<>();

    /** Of these variants the first keeps everything. */
    public TradeOff(List<Variant> variants) {
        var whole = variants.getFirst().curve();
        var all = Ways.recomputing();
        for (var v : variants) all = all.or(v.needs()).or(v.curve().ways());
        for (var ways : all.oneByOne()) {
            var found = new ArrayList<Curve.Point>();
            if (!lines.isEmpty()) found.addAll(lines.getLast().points());
            for (var v : variants) {
                if (!v.isIn(ways)) continue;
                found.addAll(v.curve().by(ways).points(whole.storeAllCost(), v.undone()));
            }
            least(variants, ways, whole.storeAllCost()).ifPresent(found::add);
            lines.add(new Line(ways, corners(first(whole), found)));
        }
    }

    /** The smallest plan of all, with one worker. */
    private static Optional<Curve.Point> least(List<Variant> variants, Ways ways, double once) {
        return variants.stream()
                .filter(v -> v.isIn(ways))
                .flatMap(v -> v.curve().by(ways).leastPoint(once, v.undone()).stream())
                .min(Comparator.comparingLong(Curve.Point::bytes));
    }

    /** That of a program without loops. */
    public static TradeOff of(Curve curve) {
        return new TradeOff(List.of(new Variant(curve, Ways.recomputing(), 0)));
    }

    private static Curve.Point first(Curve whole) {
        return whole.by(Ways.recomputing()).storeAllPoint();
    }

    /** One line for each way more, from computing again alone on. */
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

    /** What computing everything once and keeping it takes. */
    public double storeAllCost() {
        return points().getFirst().cost();
    }

    /** The least budget that can be planned for. */
    public long leastBytes() {
        return points().getLast().bytes();
    }

    /** From {@code first} on those points that no cheaper one undercuts. */
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
