package dev.ebb.plan;

import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Schedule;

import java.util.List;

/**
 * A plan for one budget: the order of computations, the place of every value in memory, the
 * predicted time, and a lower bound of the time of any plan, by which its quality is judged.
 *
 * @param workers the number of workers that share its kernels: at least one
 */
public record Plan(Layout layout, double lowerBound, Curve curve, int workers) {
    public Plan {
        if (workers < 1) throw new IllegalArgumentException(workers + " workers; use at least 1");
    }

    public Schedule schedule() {
        return layout.schedule();
    }

    /**
     * The promised peak, including the memory of its workers: the number that the budget limits.
     */
    public long peakBytes() {
        return curve.planned(layout) + workerBytes();
    }

    /** The memory that the device uses outside the arena to run this on its workers. */
    public long workerBytes() {
        return curve.workers().bytes().applyAsLong(workers);
    }

    /**
     * The same plan with as many workers as fit into {@code bytes} in all; with one if not even
     * that fits.
     */
    public Plan within(long bytes) {
        int fit = curve.workers().within(bytes - curve.planned(layout));
        return new Plan(layout, lowerBound, curve, Math.max(1, fit));
    }

    /** The same schedule in another layout. */
    public Plan in(Layout other) {
        return new Plan(other, lowerBound, curve, workers);
    }

    /** The predicted cost of one run, recomputation included. */
    public double cost() {
        return schedule().cost(curve.cost());
    }

    /**
     * The gap: how far the cost is above the lower bound, relative to that bound; 0.01 is one
     * percent.
     */
    public double gap() {
        return lowerBound == 0 ? 0 : Math.max(0, cost() / lowerBound - 1);
    }

    /** How values are kept or restored, and at which cost. */
    public RestoreSummary mix() {
        return RestoreSummary.of(layout, curve.cost(), cost(), storeAllCost(), 0);
    }

    /** The peak of keeping everything; a budget may be a share of it. */
    public long storeAllBytes() {
        return curve.program().storeAllBytes();
    }

    /** The cost of computing everything once. */
    public double storeAllCost() {
        return curve.program().storeAllCost();
    }

    /** The least budget that can be planned for; found when first asked for. */
    public long leastBytes() {
        return curve.leastBytes();
    }

    /**
     * The budget from which on more memory saves little time, and the predicted time with it; found
     * when first asked for.
     */
    public Curve.Point knee() {
        return curve.knee();
    }

    /** The step at which most bytes are alive. */
    public PeakStep highest() {
        return PeakStep.of(layout);
    }

    /** What happens to every computed value, and why; the largest values come first. */
    public List<ValueFate> fates() {
        return Explanation.fates(this);
    }

    /**
     * A table of every value that matters: its bytes, what happens to it, at what cost, and why.
     */
    public String explain() {
        return Explanation.of(this);
    }
}
