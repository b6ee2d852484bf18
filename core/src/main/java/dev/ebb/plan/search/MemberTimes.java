package dev.ebb.plan.search;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The predicted times of plans that move values: with transfers started early, and the waiting time
 * that then remains. A plan that moves none takes the sum of its costs.
 */
final class MemberTimes {
    private final SearchModel model;
    private final Map<Member, Member> known = new HashMap<>();

    MemberTimes(SearchModel model) {
        this.model = model;
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
        double seconds = ScheduleWriter.time(model, early.sequence(), early.peak());
        return new Member(model, early.sequence(), early.peak(), seconds - model.total());
    }

    /** The one that takes less time, the first of two that take the same. */
    @Nullable Member faster(@Nullable Member one, @Nullable Member other) {
        if (one == null || other == null) return one == null ? other : one;
        return isFaster(other, one) ? other : one;
    }

    /** Whether {@code member} takes less time than {@code known}. */
    boolean isFaster(Member member, Member known) {
        double extra = of(known).extra();
        return leastExtra(member) < extra && of(member).extra() < extra;
    }

    /** The time in which the computations of a plan wait for transfers. */
    double waiting(Member member) {
        return of(member).extra() - leastExtra(member);
    }

    /** A lower bound on the extra time of a plan: that of its computations alone. */
    private double leastExtra(Member member) {
        if (!model.mayMove() || member.model() != model) return member.extra();
        double sum = -model.total();
        for (int u : member.sequence()) if (!model.isTransfer(u)) sum += model.cost[u];
        return sum;
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
