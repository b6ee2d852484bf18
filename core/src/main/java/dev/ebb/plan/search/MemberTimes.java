package dev.ebb.plan.search;

import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Cost;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The predicted times of plans that move values: with transfers started early, and the waiting time
 * that then remains. A plan that moves none takes the sum of its costs.
 */
final class MemberTimes {
    private final SearchModel model;
    private final Cost cost;
    private final Map<Member, Member> known = new HashMap<>();

    MemberTimes(SearchModel model, Cost cost) {
        this.model = model;
        var costs = new IdentityHashMap<Node, Double>();
        this.cost = node -> costs.computeIfAbsent(node, cost::of);
    }

    List<Member> of(List<Member> members) {
        return members.stream().map(this::of).toList();
    }

    /** The same plan with its transfers where they take least time. */
    Member of(Member member) {
        if (!model.mayMove() || member.model() != model) return member;
        return known.computeIfAbsent(member, this::timed);
    }

    private Member timed(Member member) {
        var early = Member.of(model, Transfers.eager(model, member.sequence(), member.peak()));
        double seconds = early.schedule().cost(cost);
        return new Member(model, early.sequence(), early.peak(), seconds - model.total());
    }

    /** The one that takes less time, the first of two that take the same. */
    @Nullable Member faster(@Nullable Member one, @Nullable Member other) {
        if (one == null || other == null) return one == null ? other : one;
        return of(other).extra() < of(one).extra() ? other : one;
    }

    /**
     * Least memory first. If values are moved, peaks are compared only in units of {@code bytes},
     * and then times.
     */
    Comparator<Member> byMemory(long bytes) {
        if (!model.mayMove()) return Comparator.comparingLong(Member::peak);
        return Comparator.comparingLong((Member m) -> m.peak() / Math.max(1, bytes))
                .thenComparingDouble(m -> of(m).extra());
    }

    /** Only the members that no other beats in both peak and cost. */
    static List<Member> pruned(List<Member> all) {
        var sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingDouble(Member::extra).thenComparingLong(Member::peak));
        var best = new ArrayList<Member>();
        for (var m : sorted) if (best.isEmpty() || m.peak() < best.getLast().peak()) best.add(m);
        return best;
    }
}
