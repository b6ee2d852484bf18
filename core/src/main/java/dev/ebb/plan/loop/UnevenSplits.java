package dev.ebb.plan.loop;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.IterationCosts;

import java.util.Arrays;

/**
 * Checkpointing of iterations with different costs. For short loops the result is optimal: the
 * recursion of {@link Revolve} is evaluated for every split. It advances to the split, reverses the
 * iterations after it with one more saved state, then the iterations before it (Walther, "Program
 * reversal schedules for single- and multi-processor machines", 1999, studies the problem). The
 * table takes the square of the iterations times the states, so a long loop is first cut into
 * blocks of about equal cost; splits lie between blocks, and inside a block all iterations count as
 * equally expensive.
 */
final class UnevenSplits implements CheckpointSplits {
    private static final int BLOCKS = 96;

    /**
     * With more states than this, iterations are treated as equal: nearly every iteration then has
     * a state.
     */
    private static final int MOST_LEVELS = 96;

    private final CostPrefixSums weights;
    private final CheckpointSplits even;
    private final int iterations;
    private final int levels;
    private final int[] edges;
    private final double[][][] least;
    private final int[][][] middles;

    UnevenSplits(IterationCosts costs, CheckpointArea area, int iterations, CheckpointSplits even) {
        this.even = even;
        this.iterations = iterations;
        weights = new CostPrefixSums(costs, iterations);
        edges = edges(weights, iterations);
        levels = Math.min(MOST_LEVELS, even.levels());
        int blocks = edges.length - 1;
        least = new double[levels + 1][blocks + 1][blocks + 1];
        middles = new int[levels + 1][blocks + 1][blocks + 1];
        for (int level = levels; level >= 0; level--) {
            for (int length = 1; length <= blocks; length++) {
                for (int a = 0; a + length <= blocks; a++) solve(level, a, a + length);
            }
        }
    }

    /** The ends of the blocks; each iteration is a block if there are few iterations. */
    private static int[] edges(CostPrefixSums weights, int n) {
        int blocks = Math.min(n, BLOCKS);
        var edges = new int[blocks + 1];
        for (int b = 1; b <= blocks; b++) {
            double share = weights.between(0, n) * b / blocks;
            int low = edges[b - 1] + 1;
            int high = n - (blocks - b);
            while (low < high) {
                int mid = (low + high) >>> 1;
                if (weights.between(0, mid) < share) low = mid + 1;
                else high = mid;
            }
            edges[b] = low;
        }
        edges[blocks] = n;
        return edges;
    }

    private void solve(int level, int a, int b) {
        int from = edges[a];
        int to = edges[b];
        int taped = capacity(level);
        if (to - from <= taped) return;
        // without a further state: tape and reverse the last iterations, then those before them
        double best =
                edges.length - 1 == iterations
                        ? weights.between(from, to - taped) + least[level][a][b - taped]
                        : weights.again(from, to, taped);
        middles[level][a][b] = a;
        if (b - a == 1) {
            double each = weights.between(from, to) / (to - from);
            double inside = each * even.ahead(0, to - from, level);
            if (inside < best) {
                best = inside;
                middles[level][a][b] = b;
            }
        }
        for (int m = a + 1; level < levels && m < b; m++) {
            double cost =
                    weights.between(from, edges[m]) + least[level + 1][m][b] + least[level][a][m];
            if (cost < best) {
                best = cost;
                middles[level][a][b] = m;
            }
        }
        least[level][a][b] = best;
    }

    @Override
    public int levels() {
        return even.levels();
    }

    @Override
    public int capacity(int level) {
        return even.capacity(level);
    }

    @Override
    public double ahead(int from, int to, int level) {
        int a = Arrays.binarySearch(edges, from);
        int b = Arrays.binarySearch(edges, to);
        return a < 0 || b < 0 || level > levels ? even.ahead(from, to, level) : least[level][a][b];
    }

    @Override
    public int middle(int from, int to, int level) {
        int a = Arrays.binarySearch(edges, from);
        int b = Arrays.binarySearch(edges, to);
        if (a < 0 || b < 0 || level >= levels) return even.middle(from, to, level);
        int m = middles[level][a][b];
        return m == b ? even.middle(from, to, level) : edges[m];
    }

    /**
     * The cost of all iterations that are run ahead when the loop is reversed with these splits.
     */
    double work(CheckpointSplits splits) {
        var sum = new double[1];
        splits.aheads(iterations, (from, to) -> sum[0] += weights.between(from, to));
        return sum[0];
    }
}
