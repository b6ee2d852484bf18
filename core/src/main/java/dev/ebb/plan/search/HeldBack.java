package dev.ebb.plan.search;

import java.util.ArrayList;
import java.util.List;

/**
 * Expensive plans for much less memory than the generation in which they were found, held back
 * until the generation of their memory: given earlier, they would answer budgets for which cheaper
 * plans are still to be found.
 */
final class HeldBack {
    private final double cheap;
    private final List<Member> plans = new ArrayList<>();

    /**
     * @param cheap the cost up to which no plan is held back
     */
    HeldBack(double cheap) {
        this.cheap = cheap;
    }

    /**
     * The plans of the first generation, which are those for {@code top} bytes or as many as the
     * largest takes.
     */
    List<Member> first(List<Member> found, long top) {
        long most = found.stream().mapToLong(Member::peak).max().orElse(0);
        return inReach(found, Math.max(top, most));
    }

    /**
     * Those of {@code found}, and of the plans held back before, that belong to a generation with
     * peaks down to {@code bound}.
     */
    List<Member> inReach(List<Member> found, long bound) {
        var all = new ArrayList<>(plans);
        all.addAll(found);
        plans.clear();
        var own = new ArrayList<Member>();
        for (var m : all) (m.peak() >= bound || m.extra() <= cheap ? own : plans).add(m);
        return own;
    }
}
