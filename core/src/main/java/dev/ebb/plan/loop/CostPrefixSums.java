package dev.ebb.plan.loop;

import dev.ebb.ir.IterationCosts;

import java.util.List;

/** The cost of stretches of iterations, in iterations of average cost, from prefix sums. */
final class CostPrefixSums {
    private final int iterations;
    private final double[] sums;
    private final double[] areas;

    /**
     * For each iteration the cost of all iterations before it, if there are few: a table of splits
     * reads them often.
     */
    private final double[] known;

    /** For more iterations than this, costs are not stored by iteration. */
    private static final int FEW = 1 << 16;

    CostPrefixSums(IterationCosts costs, int iterations) {
        this.iterations = iterations;
        var weights = costs.isEven() ? List.of(1.0) : costs.weights();
        int n = weights.size();
        double mean = weights.stream().mapToDouble(w -> w).average().orElse(1);
        double each = (double) iterations / n;
        sums = new double[n + 1];
        areas = new double[n + 1];
        for (int i = 0; i < n; i++) {
            sums[i + 1] = sums[i] + weights.get(i) / mean * each;
            areas[i + 1] = areas[i] + (sums[i] + sums[i + 1]) / 2 * each;
        }
        known = new double[iterations <= FEW ? iterations + 1 : 0];
        for (int iteration = 0; iteration < known.length; iteration++)
            known[iteration] = computed(iteration);
    }

    /** The cost of all iterations before {@code iteration}. */
    private double before(int iteration) {
        return iteration < known.length ? known[iteration] : computed(iteration);
    }

    private double computed(int iteration) {
        int n = sums.length - 1;
        double at = (double) iteration * n / iterations;
        int piece = (int) Math.min(n - 1L, (long) iteration * n / iterations);
        return sums[piece] + (sums[piece + 1] - sums[piece]) * (at - piece);
    }

    /** The integral of {@link #before} up to {@code iteration}. */
    private double area(int iteration) {
        int n = sums.length - 1;
        int piece = (int) Math.min(n - 1L, (long) iteration * n / iterations);
        double width = iteration - (double) piece * iterations / n;
        return areas[piece] + (sums[piece] + before(iteration)) / 2 * width;
    }

    /** The cost of iterations {@code [from, to)}, each run once. */
    double between(int from, int to) {
        return before(to) - before(from);
    }

    /**
     * The cost of running ahead from {@code from} for each stretch of {@code taped} iterations, to
     * reverse {@code [from, to)} in such stretches: exact for few stretches, an integral for many.
     */
    double again(int from, int to, int taped) {
        if ((to - from) / taped <= 128) {
            double sum = 0;
            double first = before(from);
            for (long at = (long) to - taped; at > from; at -= taped)
                sum += before((int) at) - first;
            return sum;
        }
        int last = to - taped;
        return (area(last) - area(from) - (last - from) * before(from)) / taped
                + between(from, last) / 2;
    }
}
