package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;

/**
 * Relative costs of a loop's iterations, declared by its author, in the order of the iterations and
 * in any unit. Each weight stands for an equal share of the iterations; an empty list means that
 * all iterations cost the same.
 */
public record IterationCosts(List<Double> weights) {

    public static final IterationCosts EVEN = new IterationCosts(List.of());

    /** The most weights; a longer loop has one for several iterations. */
    private static final int MOST = 4096;

    public IterationCosts {
        weights = List.copyOf(weights);
        for (double w : weights) {
            if (!(w > 0 && w < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException("an iteration cannot cost " + w);
            }
        }
    }

    /**
     * The costs of {@code iterations} iterations, where {@code cost} maps the number of an
     * iteration to its cost.
     */
    public static IterationCosts of(int iterations, IntToDoubleFunction cost) {
        int pieces = Math.min(iterations, MOST);
        var weights = new ArrayList<Double>();
        boolean even = true;
        double first = iterations == 0 ? 1 : cost.applyAsDouble(0);
        for (int p = 0; p < pieces; p++) {
            int from = (int) ((long) p * iterations / pieces);
            int to = (int) ((p + 1L) * iterations / pieces);
            double sum = 0;
            for (int i = from; i < to; i++) {
                double one = cost.applyAsDouble(i);
                if (!(one > 0))
                    throw new IllegalArgumentException("iteration " + i + " costs " + one);
                even &= one == first;
                sum += one;
            }
            weights.add(sum / (to - from));
        }
        return even ? EVEN : new IterationCosts(weights);
    }

    public boolean isEven() {
        return weights.isEmpty();
    }

    /** The costs of a loop that runs the same iterations from the last to the first. */
    public IterationCosts reversed() {
        return new IterationCosts(weights.reversed());
    }

    @Override
    public String toString() {
        return isEven() ? "even" : "declared";
    }
}
