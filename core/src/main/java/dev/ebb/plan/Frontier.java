package dev.ebb.plan;

import dev.ebb.ir.Node;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The trade of memory for time of one problem: a family of plans, each the cheapest found for its
 * peak. It depends on the problem and the costs alone, never on a budget someone asks for, and
 * whoever asks gets the cheapest member that fits; so more memory never costs time.
 *
 * <p>The family is grown downwards: from computing everything once, the bound is lowered level by
 * level, each plan made from the one above, improved by {@link Search}; then upwards, where a plan
 * from below may turn out better than the one found before.
 */
final class Frontier {
    /**
     * One plan: an order of computing, its peak of live bytes, and what it costs beyond computing
     * all once.
     */
    static final class Member {
        private final Model model;
        private final int[] sequence;
        private final long peak;
        private final double extra;

        Member(Model model, int[] sequence, long peak, double extra) {
            this.model = model;
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

        Schedule schedule() {
            return Script.of(model, sequence);
        }

        /** The computation that takes most memory; none if nothing is computed. */
        Optional<Node> largest() {
            var replay = new Liveness(model);
            replay.replay(sequence, sequence.length);
            int at = -1;
            for (int i = 0; i < replay.length; i++) {
                if (model.isTransfer(replay.order[i])) continue;
                if (at < 0 || replay.memory[i] > replay.memory[at]) at = i;
            }
            return at < 0 ? Optional.empty() : Optional.of(model.node(replay.order[at]));
        }
    }

    /** Replayed steps spent on improving the whole family. */
    private static final long WORK = 60_000_000L;

    private static final long WORK_PER_NODE = 300_000L;

    /** Replayed steps that one attempt to fit a bound may take, for each node. */
    private static final long ATTEMPT_PER_NODE = 3_000L;

    /** A graph with more nodes is large: fewer levels, fewer attempts. */
    private static final int LARGE = 1_500;

    /** How much chance enters the choices, where choosing the best each time leads nowhere. */
    private static final double[] NOISES = {0, 0.5, 1};

    private final Model model;
    private final Cost cost;
    private final Search search;
    private final List<Member> members = new ArrayList<>();
    private final List<int[]> orders;
    private final long storeAll;

    /** The plan that rebuilds all it can from what came after it. */
    private final Optional<Member> walkedBack;

    Frontier(Model model, Cost cost) {
        this.model = model;
        this.cost = cost;
        search = new Search(model);
        var ordering = new Ordering(model);
        walkedBack =
                model.problem.inversions().isEmpty()
                        ? Optional.empty()
                        : new Replay(model, ordering).inverting().map(this::complete);
        var plain = complete(ordering.plain());
        storeAll = plain.peak;
        members.add(plain);
        members.add(complete(ordering.tidy()));
        members.add(complete(ordering.thrifty()));
        orders =
                members.stream()
                        .sorted(Comparator.comparingLong(Member::peak))
                        .map(Member::sequence)
                        .toList();
        grow();
        prune();
    }

    /** The peak of live bytes of computing everything once in the graph's order. */
    long storeAll() {
        return storeAll;
    }

    /** The steps replayed to grow the family. */
    long work() {
        return search.work();
    }

    /** Largest peak first; each cheaper than the next. */
    List<Member> members() {
        return List.copyOf(members);
    }

    private Member complete(int[] nodes) {
        return member(Transfers.complete(model, nodes));
    }

    private Member member(int[] sequence) {
        var replay = new Liveness(model);
        if (!replay.replay(sequence, sequence.length))
            throw new IllegalStateException("an order that cannot be run");
        return new Member(model, replay.sequence(), replay.peak, replay.extra);
    }

    private Member here() {
        var now = search.squeeze().current();
        return new Member(model, now.sequence(), now.peak, now.extra);
    }

    private void grow() {
        int n = model.nodes.size();
        long floor = Bounds.peak(model);
        int levels = n > LARGE ? 50 : 100;
        long share = Math.min(WORK, WORK_PER_NODE * n) / levels / (n > LARGE ? 10 : 1);
        var above = member(orders.getFirst());
        var ladder = new ArrayList<Member>();
        above = down(above, floor, levels, share, ladder);
        if (walkedBack.isPresent() && walkedBack.get().peak < above.peak) {
            var walked = walkedBack.get();
            above = member(search.improve(walked.sequence, walked.peak, share));
            ladder.add(above);
            above = down(above, floor, levels, share, ladder);
        }
        long failed = Math.max(floor - 1, above.peak - storeAll / levels);
        for (int k = 0;
                k < (n > LARGE ? 2 : 5) && above.peak - failed > Math.max(1, storeAll / 2000);
                k++) {
            long bound = failed + (above.peak - failed) / 2;
            var found = descend(above, bound, false, share / 8);
            if (found == null) {
                failed = bound;
            } else {
                above = found;
                ladder.add(found);
            }
        }
        ascend(ladder, share / 8);
        members.addAll(ladder);
    }

    /** Lowers the bound level by level, as far as plans are found; the last of them. */
    private Member down(Member start, long floor, int levels, long share, List<Member> ladder) {
        var above = start;
        for (int k = levels - 1; k > 0; k--) {
            long bound = (long) (storeAll * (double) k / levels);
            if (bound >= start.peak) continue;
            if (bound < floor) break;
            boolean full = k % 5 == 0;
            var found = descend(above, bound, full, full ? share : share / 8);
            if (found == null) break;
            ladder.add(found);
            above = found;
        }
        return above;
    }

    /**
     * The cheapest plan found under {@code bound}: from the plan above it, and if {@code full} or
     * if need be from the start; null if none.
     */
    private @Nullable Member descend(Member above, long bound, boolean full, long share) {
        var starts = new ArrayList<>(List.of(above.sequence));
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
            if (best != null) return member(search.improve(best.sequence, bound, share));
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
    private void ascend(List<Member> ladder, long share) {
        for (int i = ladder.size() - 2; i >= 0; i--) {
            var own = ladder.get(i);
            var below = ladder.get(i + 1);
            long bound = own.peak;
            search.squeeze().start(below.sequence);
            search.squeeze().relax(bound);
            var relaxed = here();
            if (relaxed.extra < own.extra)
                ladder.set(i, member(search.improve(relaxed.sequence, bound, share)));
        }
    }

    private void prune() {
        if (model.problem.disk().isPresent()) members.replaceAll(this::timed);
        var best = best(members);
        members.clear();
        members.addAll(best);
    }

    /** Those that no other beats in both peak and cost, cheapest first. */
    static List<Member> best(List<Member> members) {
        var sorted = new ArrayList<>(members);
        sorted.sort(Comparator.comparingDouble(Member::extra).thenComparingLong(Member::peak));
        var best = new ArrayList<Member>();
        for (var m : sorted) if (best.isEmpty() || m.peak < best.getLast().peak) best.add(m);
        return best;
    }

    /** With its transfers begun early, and what then remains of the time they take. */
    private Member timed(Member member) {
        var early = member(Transfers.eager(model, member.sequence, member.peak));
        var clock = new Clock(model.problem.disk(), cost);
        double seconds = clock.run(model.problem, early.schedule().steps());
        return new Member(model, early.sequence, early.peak, seconds - model.total());
    }
}
