package dev.ebb.plan.search;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The families that restore values in fewer ways than the one that consults them. */
record SmallerFamilies(List<Frontier> families) {
    SmallerFamilies {
        families = List.copyOf(families);
    }

    /** Their cheapest plan under {@code bound}. */
    Optional<Member> cheapest(long bound) {
        return families.stream()
                .flatMap(family -> family.first(bound).stream())
                .min(Comparator.comparingDouble(Member::extra));
    }

    /**
     * Whether they have a plan for as much memory as {@code own}, one with transfers, that takes no
     * more time. Then {@code own} is never the answer, and as one it would stand in the way of
     * later plans, which must not be cheaper.
     */
    boolean areAsFast(Member own) {
        return own.model().mayMove()
                && cheapest(own.peak()).filter(other -> other.extra() <= own.extra()).isPresent();
    }
}
