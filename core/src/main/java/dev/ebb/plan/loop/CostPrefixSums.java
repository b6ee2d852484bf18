package dev.ebb.plan.loop;

import dev.ebb.ir.IterationCosts;

import java.util.List;

/** The cost of stretches of rounds, in rounds of average cost, from prefix sums. */
final class CostPrefixSums {
    private final int rounds;
    private final double[] sums;
    private final double[] areas;

    /**
     * For each round the cost of all rounds before it, if there are few: a table of splits reads
     * them often.
     */
    private final double[] known;

    /** For more rounds than this, costs are not stored by round. */
    private static final int FEW = 1 << 16;

    CostPrefixSums(IterationCosts costs, int rounds) {
        this.rounds = rounds;
        var weights = costs.isEven() ? List.of(1.0) : costs.weights();
        int n = weights.size();
        double mean = weights.stream().mapToDouble(w -> w).average().orElse(1);
        double each = (double) rounds / n;
        sums = new double[n + 1];
        areas = new double[n + 1];
        for (int i = 0; i < n; i++) {
            sums[i + 1] = sums[i] + weights.get(i) / mean * each;
            areas[i + 1] = areas[i] + (sums[i] + sums[i + 1]) / 2 * each;
        }
        known = new double[rounds <= FEW ? rounds + 1 : 0];
        for (int round = 0; round < known.length; round++) known[round] = computed(round);
    }

    /** The cost of all rounds before {@code round}. */
    private double before(int round) {
        return round < known.length ? known[round] : computed(round);
    }

    private double computed(int round) {
        int n = sums.length - 1;
        double at = (double) round * n / rounds;
        int piece = (int) Math.min(n - 1L, (long) round * n / rounds);
        return sums[piece] + (sums[piece + 1] - sums[piece]) * (at - piece);
    }

    /** The integral of {@link #before} up to {@code round}. */
    private double area(int round) {
        int n = sums.length - 1;
        int piece = (int) Math.min(n - 1L, (long) round * n / rounds);
        double width = round - (double) piece * rounds / n;
        return areas[piece] + (sums[piece] + before(round)) / 2 * width;
    }

    /** The cost of rounds {@code [from, to)}, each run once. */
    double between(int from, int to) {
        return before(to) - before(from);
    }

    /**
     * The cost of running ahead from {@code from} for each stretch of {@code taped} rounds, to
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
