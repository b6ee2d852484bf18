package dev.ebb.plan.loop;

import dev.ebb.ir.LoopMemory;
import dev.ebb.ir.Pace;

import java.util.Arrays;

/**
 * Checkpointing of rounds that do not all cost the same. For short loops the best there is, by the
 * recursion behind {@link Revolve} with every split tried: advance to the middle, reverse what
 * comes after beside one more state, then what came before (Walther, "Program reversal schedules
 * for single- and multi-processor machines", 1999, studies the problem). The table takes the square
 * of the rounds times the states, so a long loop is first cut into blocks of about equal cost;
 * splits fall between blocks, and inside a block rounds are taken as equal.
 */
final class UnevenSplits implements CheckpointSplits {
    private static final int BLOCKS = 96;

    /** More states than this are saved as if rounds were equal: there is one for nearly each. */
    private static final int MOST_LEVELS = 96;

    private final RoundCosts weights;
    private final CheckpointSplits even;
    private final int rounds;
    private final int levels;
    private final int[] edges;
    private final double[][][] least;
    private final int[][][] middles;

    UnevenSplits(Pace pace, LoopMemory room, int rounds, CheckpointSplits even) {
        this.even = even;
        this.rounds = rounds;
        weights = new RoundCosts(pace, rounds);
        edges = edges(weights, rounds);
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

    /** Ends of blocks: every round is one if they are few. */
    private static int[] edges(RoundCosts weights, int n) {
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
        // without a further state: tape the last rounds, and go on with those before
        double best =
                edges.length - 1 == rounds
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

    /** What running ahead costs in reversing all rounds with these splits. */
    double work(CheckpointSplits splits) {
        var sum = new double[1];
        splits.aheads(rounds, (from, to) -> sum[0] += weights.between(from, to));
        return sum[0];
    }
}
