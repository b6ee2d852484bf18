package dev.ebb.plan;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The trade of memory for time of one problem: a family of plans, each the cheapest found for its
 * peak. It depends on the problem and the costs alone, never on a budget someone asks for.
 *
 * <p>The family is grown downwards: from computing everything once, the bound is lowered level by
 * level, each plan made from the one above, improved by {@link Search}; then upwards, where a plan
 * from below may turn out better than the one found before. It grows in generations, always the
 * same ones, each as far down as anybody has asked for. A budget is answered from the first
 * generations that have a plan for it, and no later plan is cheaper than theirs: so the answer does
 * not hang on who asked before, and more memory never costs time.
 */
final class Frontier {
    /**
     * One plan: an order of computing, its peak of live bytes, and what it costs beyond computing
     * all once.
     */
    static final class Member {
        private final int[] sequence;
        private final long peak;
        private final double extra;

        Member(int[] sequence, long peak, double extra) {
            this.sequence = sequence;
            this.peak = peak;
            this.extra = extra;
        }

        int[] sequence() {
            return sequence;
        }

        long peak() {
            return peak;
        }

        double extra() {
            return extra;
        }
    }

    /** Replayed steps spent on improving the whole family. */
    private static final long WORK = 120_000_000L;

    private static final long WORK_PER_NODE = 600_000L;

    /** Replayed steps that one attempt to fit a bound may take, for each node. */
    private static final long ATTEMPT_PER_NODE = 3_000L;

    /** A graph with more nodes is large: fewer levels, fewer attempts. */
    private static final int LARGE = 1_500;

    /** How much chance enters the choices, where choosing the best each time leads nowhere. */
    private static final double[] NOISES = {0, 0.5, 1};

    /** Where a rung costs this share of computing everything once, the curve is steep. */
    private static final double STEEP = 0.02;

    /** A generation covers a tenth of the way from the store-all peak down to nothing. */
    private static final int GENERATIONS = 10;

    /** A generation is judged when the next rungs are known, from which its own may improve. */
    private static final int AHEAD = 2;

    private final Model model;
    private final Search search;
    private final List<int[]> orders;
    private final long storeAll;
    private final long floor;
    private final int levels;
    private final long share;

    /** The members of each generation, in the order in which they came to be. */
    private final List<List<Member>> generations = new ArrayList<>();

    /** Rungs that are known and not yet in a generation, highest bound first. */
    private final List<Member> ladder = new ArrayList<>();

    private Member above;
    private int level;
    private boolean ended;

    Frontier(Model model) {
        this.model = model;
        search = new Search(model);
        var ordering = new Ordering(model);
        var plain = member(ordering.plain());
        storeAll = plain.peak;
        var first = List.of(plain, member(ordering.tidy()), member(ordering.thrifty()));
        orders =
                first.stream()
                        .sorted(Comparator.comparingLong(Member::peak))
                        .map(Member::sequence)
                        .toList();
        generations.add(pruned(first));
        int n = model.nodes.size();
        floor = Bounds.peak(model);
        levels = n > LARGE ? 50 : 100;
        share = Math.min(WORK, WORK_PER_NODE * n) / levels / (n > LARGE ? 4 : 1);
        above = member(orders.getFirst());
        level = levels;
    }

    /** How many generations there are so far. */
    int size() {
        return generations.size();
    }

    /** The members of the first {@code count} generations; largest peak first, cheapest first. */
    List<Member> members(int count) {
        var all = new ArrayList<Member>();
        for (var generation : generations.subList(0, count)) all.addAll(generation);
        return pruned(all);
    }

    /** Makes one more generation, with less memory; false if there is none. */
    boolean grow() {
        if (ended && ladder.isEmpty()) return false;
        int stop = Math.max(0, (GENERATIONS - generations.size()) * levels / GENERATIONS - AHEAD);
        while (!ended && level > stop) descend();
        if (!ended && level == 0) ended = true;
        if (ended) settleLeast();
        ascend(share / 8);
        int kept = ended ? 0 : Math.min(AHEAD, ladder.size());
        var own = ladder.subList(0, ladder.size() - kept);
        // a dearer plan was already given for more memory, and must not look foolish now
        var dearest = members(generations.size()).getLast();
        generations.add(own.stream().filter(m -> m.extra >= dearest.extra).toList());
        own.clear();
        return true;
    }

    private Member member(int[] sequence) {
        var replay = new Liveness(model);
        if (!replay.replay(sequence, sequence.length))
            throw new IllegalStateException("an order that cannot be run");
        return new Member(replay.sequence(), replay.peak, replay.extra);
    }

    private Member here() {
        var now = search.squeeze().current();
        return new Member(now.sequence(), now.peak, now.extra);
    }

    /** One rung down, if there is one. */
    private void descend() {
        level--;
        long bound = (long) (storeAll * (double) level / levels);
        if (level == 0 || bound < floor) {
            ended = true;
            return;
        }
        if (bound >= above.peak) return;
        boolean full = level % 5 == 0;
        var found = under(above, bound, full, full ? share : share / 8);
        ended = found == null;
        if (found == null) return;
        if (found.extra - above.extra > STEEP * model.total()) found = inTwo(bound, found);
        ladder.add(found);
        above = found;
    }

    /** Where the curve is steep, one more rung on the way, which may also lead to a better end. */
    private Member inTwo(long bound, Member found) {
        var middle = under(above, bound + (above.peak - bound) / 2, true, share / 4);
        if (middle == null || middle.extra >= found.extra) return found;
        ladder.add(middle);
        var better = under(middle, bound, false, share / 8);
        return better != null && better.extra < found.extra ? better : found;
    }

    /** Closes in on the least memory that works. */
    private void settleLeast() {
        boolean large = model.nodes.size() > LARGE;
        long failed = Math.max(floor - 1, above.peak - storeAll / levels);
        for (int k = 0;
                k < (large ? 2 : 5) && above.peak - failed > Math.max(1, storeAll / 2000);
                k++) {
            long bound = failed + (above.peak - failed) / 2;
            var found = under(above, bound, false, share / 8);
            if (found == null) {
                failed = bound;
            } else {
                above = found;
                ladder.add(found);
            }
        }
    }

    /**
     * The cheapest plan found under {@code bound}: from the plan above it, and if {@code full} or
     * if need be from the start; null if none.
     */
    private @Nullable Member under(Member from, long bound, boolean full, long allowance) {
        var starts = new ArrayList<>(List.of(from.sequence));
        boolean large = model.nodes.size() > LARGE;
        Member best = null;
        for (double noise : NOISES) {
            if (large && noise > 0) break;
            for (int[] start : starts) {
                var found = squeezed(start, bound, noise);
                if (found != null && (best == null || found.extra < best.extra)) best = found;
            }
            if (noise == 0 && (best == null || (full && !large))) {
                for (int[] start : large ? orders.subList(0, 1) : orders) {
                    var found = squeezed(start, bound, noise);
                    if (found != null && (best == null || found.extra < best.extra)) best = found;
                    starts.add(start);
                }
            }
            if (best != null) return member(search.improve(best.sequence, bound, allowance));
        }
        return null;
    }

    private @Nullable Member squeezed(int[] start, long bound, double noise) {
        var squeeze = search.squeeze();
        if (!squeeze.start(start) || !squeeze.to(bound, noise, ATTEMPT_PER_NODE * start.length))
            return null;
        squeeze.relax(bound);
        return here();
    }

    /** Tries at each rung what a lower rung can be relaxed to. */
    private void ascend(long allowance) {
        for (int i = ladder.size() - 2; i >= 0; i--) {
            var own = ladder.get(i);
            var below = ladder.get(i + 1);
            long bound = own.peak;
            search.squeeze().start(below.sequence);
            search.squeeze().relax(bound);
            var relaxed = here();
            if (relaxed.extra < own.extra)
                ladder.set(i, member(search.improve(relaxed.sequence, bound, allowance)));
        }
    }

    /** Only those that no other beats in both peak and cost. */
    private static List<Member> pruned(List<Member> all) {
        var sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingDouble(Member::extra).thenComparingLong(Member::peak));
        var best = new ArrayList<Member>();
        for (var m : sorted) if (best.isEmpty() || m.peak < best.getLast().peak) best.add(m);
        return best;
    }
}
