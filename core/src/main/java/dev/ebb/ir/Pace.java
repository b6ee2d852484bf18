package dev.ebb.ir;

import java.util.List;

/**
 * What each round of a loop takes, in the order in which rounds run and in any unit, as its author
 * declares it. An empty list says that all take the same.
 */
public record Pace(List<Double> weights) {

    public static final Pace EVEN = new Pace(List.of());

    public Pace {
        weights = List.copyOf(weights);
        for (double w : weights) {
            if (!(w > 0 && w < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("a round cannot cost " + w);
            }
        }
    }

    public boolean isEven() {
        return weights.isEmpty();
    }

    /** The pace of a loop that runs the same rounds from the last to the first. */
    public Pace reversed() {
        return new Pace(weights.reversed());
    }

    @Override
    public String toString() {
        return isEven() ? "even" : "declared";
    }
}
