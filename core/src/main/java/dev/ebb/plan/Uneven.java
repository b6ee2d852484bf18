package dev.ebb.plan;

import dev.ebb.ir.Pace;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Checkpointing of rounds that do not all cost the same. For short loops the best there is, by the
 * recursion behind {@link Revolve} with every split tried: advance to the middle, reverse what
 * comes after with one slot less, then what came before (Walther, "Program reversal schedules for
 * single- and multi-processor machines", 1999, studies the problem). The table takes the square of
 * the rounds times the slots, so a long loop is first cut into blocks of about equal cost; splits
 * fall between blocks, and inside a block rounds are taken as equal.
 */
final class Uneven implements Splits {
    private static final int BLOCKS = 96;

    private final Weights weights;
    private final int[] edges;
    private final double[][][] least;
    private final int[][][] middles;

    Uneven(Pace pace, int slots) {
        weights = new Weights(pace);
        edges = edges(weights);
        int blocks = edges.length - 1;
        int most = Math.min(slots, blocks + 1);
        least = new double[most + 1][blocks + 1][blocks + 1];
        middles = new int[most + 1][blocks + 1][blocks + 1];
        for (int s = 1; s <= most; s++) {
            for (int length = 1; length <= blocks; length++) {
                for (int a = 0; a + length <= blocks; a++) solve(s, a, a + length);
            }
        }
    }

    /** Ends of blocks: every round is one if they are few. */
    private static int[] edges(Weights weights) {
        int n = weights.size();
        int blocks = Math.min(n, BLOCKS);
        var edges = new int[blocks + 1];
        for (int b = 1; b <= blocks; b++) {
            int end = edges[b - 1] + 1;
            double share = weights.between(0, n) * b / blocks;
            while (end < n - (blocks - b) && weights.between(0, end) < share) end++;
            edges[b] = blocks == n ? b : end;
        }
        edges[blocks] = n;
        return edges;
    }

    private void solve(int slots, int a, int b) {
        int from = edges[a];
        int to = edges[b];
        double best = slots == 1 ? weights.again(from, to) : Double.POSITIVE_INFINITY;
        if (b - a == 1 && slots > 1) {
            double each = weights.between(from, to) / (to - from);
            best = each * Revolve.forwards(to - from, slots);
        }
        for (int m = a + 1; slots > 1 && m < b; m++) {
            double cost =
                    weights.between(from, edges[m]) + least[slots - 1][m][b] + least[slots][a][m];
            if (cost < best) {
                best = cost;
                middles[slots][a][b] = m;
            }
        }
        least[slots][a][b] = best;
    }

    @Override
    public int middle(int from, int to, int slots) {
        int a = Arrays.binarySearch(edges, from);
        int b = Arrays.binarySearch(edges, to);
        if (a < 0 || b < 0 || b - a < 2) return Splits.even().middle(from, to, slots);
        return edges[middles[Math.min(slots, least.length - 1)][a][b]];
    }

    /** Rounds yet to be reversed, and the slots there are for it. */
    private record Stretch(int from, int to, int slots) {}

    /** The work of reversing all rounds with these splits, each round's own taped run included. */
    double work(Splits splits, int slots) {
        double sum = 0;
        var open = new ArrayDeque<Stretch>();
        if (weights.size() > 0) open.push(new Stretch(0, weights.size(), slots));
        while (!open.isEmpty()) {
            var s = open.pop();
            if (s.slots == 1 || s.to - s.from == 1) {
                sum += weights.again(s.from, s.to);
                continue;
            }
            int middle = splits.middle(s.from, s.to, s.slots);
            sum += weights.between(s.from, middle);
            open.push(new Stretch(s.from, middle, s.slots));
            open.push(new Stretch(middle, s.to, s.slots - 1));
        }
        return sum;
    }
}
