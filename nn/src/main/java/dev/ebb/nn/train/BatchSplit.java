package dev.ebb.nn.train;

import dev.ebb.plan.Budget;

import java.util.Locale;

/**
 * How the gradient of a batch was split to fit a budget.
 *
 * @param shards the number of parts of the gradient, whatever the budget
 * @param cuts the number of groups of shards that are computed one after the other
 * @param wholeBytes the least budget in which the batch would fit unsplit
 * @param peakBytes the promised peak
 * @param cost the predicted cost of a step
 * @param wholeCost the predicted cost of an unsplit step with memory for everything
 */
public record BatchSplit(
        int shards, int cuts, long wholeBytes, long peakBytes, double cost, double wholeCost) {

    /** A description in one sentence. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "the batch is cut into %d groups of its %d shards, one after the other: it takes %s"
                        + " where computing again alone takes %s, and a step is predicted to take"
                        + " %.2f times as long as uncut with memory for everything; the bits are"
                        + " the same",
                cuts,
                shards,
                Budget.show(peakBytes),
                Budget.show(wholeBytes),
                cost / wholeCost);
    }
}
