package dev.ebb.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The trade of memory for time of one problem: a family of plans, each the cheapest found for its peak. It
 * depends on the problem and the costs alone, never on a budget someone asks for, and whoever asks gets the
 * cheapest member that fits; so more memory never costs time.
 *
 * <p>The family is grown downwards: from computing everything once, the bound is lowered level by level,
 * each plan made from the one above, improved by {@link Search}; then upwards, where a plan from below may
 * turn out better than the one found before.
 */
final class Frontier {
    /** One plan: an order of computing, its peak of live bytes, and what it costs beyond computing all once. */
    record Member(int[] sequence, long peak, double extra) {}

    /** Replayed steps spent on the whole family, beside what finding any plan at all takes. */
    private static final long WORK = 60_000_000L;

    private static final int LEVELS = 100;

    private final Model model;
    private final Search search;
    private final List<Member> members = new ArrayList<>();
    private final List<int[]> orders;
    private final long storeAll;

    Frontier(Model model) {
        this.model = model;
        search = new Search(model);
        var ordering = new Ordering(model);
        var plain = member(ordering.plain());
        storeAll = plain.peak;
        var tidy = member(ordering.tidy());
        orders = tidy.peak < plain.peak
                ? List.of(tidy.sequence, plain.sequence)
                : List.of(plain.sequence, tidy.sequence);
        members.add(plain);
        members.add(tidy);
        grow();
        prune();
    }

    /** The peak of live bytes of computing everything once in the graph's order. */
    long storeAll() {
        return storeAll;
    }

    /** Largest peak first; each cheaper than the next. */
    List<Member> members() {
        return List.copyOf(members);
    }

    private Member member(int[] sequence) {
        var replay = new Liveness(model);
        if (!replay.replay(sequence, sequence.length)) throw new IllegalStateException("an order that cannot be run");
        return new Member(replay.sequence(), replay.peak, replay.extra);
    }

    private Member here() {
        var now = search.squeeze().current();
        return new Member(now.sequence(), now.peak, now.extra);
    }

    private void grow() {
        long floor = Bounds.peak(model);
        long start = Math.min(members.get(0).peak, members.get(1).peak);
        int levels = Math.max(8, (int) Math.min(LEVELS, 40_000 / Math.max(1, model.nodes.size())));
        long share = WORK / levels;
        var above = members.get(0).peak <= start ? members.get(0) : members.get(1);
        var ladder = new ArrayList<Member>();
        for (int k = levels - 1; k > 0; k--) {
            long bound = (long) (storeAll * (double) k / levels);
            if (bound >= start) continue;
            if (bound < floor) break;
            var found = descend(above, bound, share);
            if (found == null) break;
            ladder.add(found);
            above = found;
        }
        long failed = Math.max(floor - 1, above.peak - storeAll / levels);
        long fits = above.peak;
        for (int k = 0; k < 10 && fits - failed > Math.max(1, storeAll / 2000); k++) {
            long bound = failed + (fits - failed) / 2;
            var found = descend(above, bound, share / 4);
            if (found == null) {
                failed = bound;
            } else {
                above = found;
                fits = found.peak;
                ladder.add(found);
            }
        }
        ascend(ladder, share / 2);
        members.addAll(ladder);
    }

    /** The cheapest plan found under {@code bound}, from the plan above it or from the start; null if none. */
    private @org.jspecify.annotations.Nullable Member descend(Member above, long bound, long share) {
        Member best = null;
        for (int attempt = 0; attempt < 3 + 8; attempt++) {
            if (attempt >= 3 && best != null) break;
            int[] from = attempt == 0 || attempt >= 3 && attempt % 2 == 1 ? above.sequence : orders.get(attempt % 2);
            if (!search.squeeze().start(from)) continue;
            if (search.squeeze().to(bound, attempt < 3 ? 0 : 1)) {
                search.squeeze().relax(bound);
                var found = here();
                if (best == null || found.extra < best.extra) best = found;
            }
        }
        if (best == null) return null;
        return member(search.improve(best.sequence, bound, share));
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
            if (relaxed.extra < own.extra) ladder.set(i, member(search.improve(relaxed.sequence, bound, share)));
        }
    }

    /** Keeps only those that no other beats in both peak and cost. */
    private void prune() {
        members.sort(Comparator.comparingDouble(Member::extra).thenComparingLong(Member::peak));
        var best = new ArrayList<Member>();
        for (var m : members) if (best.isEmpty() || m.peak < best.getLast().peak) best.add(m);
        members.clear();
        members.addAll(best);
    }
}
