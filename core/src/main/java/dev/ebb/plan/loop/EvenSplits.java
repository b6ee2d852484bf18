package dev.ebb.plan.loop;

import dev.ebb.ir.CheckpointArea;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides where to save states if all iterations cost the same, in memory that is shared by states
 * and tapes. {@link Revolve} is the case of one tape: the optimum is reached if all iterations are
 * run ahead about equally often. Let {@code N(k, r)} be the number of iterations that can be
 * reversed with {@code k} saved states if none is run ahead more than {@code r} times. {@code N(k,
 * 0)} is the number of tapes that fit. Otherwise a further state is saved: the iterations before it
 * are run ahead once to reach it, and {@code r - 1} times to be reversed; the iterations after it
 * are reversed with one more state. So {@code N(k, r) = N(k, r - 1) + N(k + 1, r)}, which gives the
 * position of the next state. Most stretches are short; for these the best splits are looked up in
 * a table.
 *
 * <p>With one tape the result is that of Revolve, and optimal. Otherwise the cost is within three
 * percent of that of a table of all splits, which is within one iteration of the best schedule that
 * saves states and tapes in any order, as the test of this class measures. (States and tapes are
 * the two kinds of saves in Beaumont et al., "rotor", 2019, for stages with different costs. There
 * the table contains all stretches; for a million equal iterations a small table suffices.)
 */
public final class EvenSplits implements CheckpointSplits {
    /** Stretches up to this length are looked up. */
    private static final int SHORT = 1024;

    /**
     * The best first part changes by at most about this many iterations from one length to the
     * next.
     */
    private static final int NEAR = 8;

    /** The most levels of the table: a larger one takes more time than it saves. */
    private static final int MOST_LEVELS = 400;

    private final CheckpointArea area;
    private final int levels;

    /**
     * The iterations that can be reversed for each number of times and each level; computed as
     * needed.
     */
    private final List<long[]> reach = new ArrayList<>();

    /** The first level at which fewer tapes fit than a short stretch has iterations. */
    private final int first;

    /**
     * For each such level and each length, the length of the first part of a stretch; 0 if no state
     * is saved.
     */
    private int[][] parts = {};

    public EvenSplits(CheckpointArea area, int iterations) {
        this.area = area;
        levels = Math.min(area.levels(), Math.max(0, iterations - 1));
        first = firstTight();
    }

    private int firstTight() {
        int low = 0;
        int high = levels + 1;
        while (low < high) {
            int mid = (low + high) >>> 1;
            if (capacity(mid) < SHORT) high = mid;
            else low = mid + 1;
        }
        return low;
    }

    @Override
    public int levels() {
        return levels;
    }

    @Override
    public int capacity(int level) {
        return area.capacity(level);
    }

    @Override
    public double ahead(int from, int to, int level) {
        return about(to - from, level);
    }

    /**
     * The iterations that can be reversed beside {@code level} states when none is run ahead more
     * than {@code times} times.
     */
    private long reach(int times, int level) {
        if (level >= levels) return (times + 1L) * capacity(levels);
        while (reach.size() <= times) {
            var row = new long[levels + 1];
            row[levels] = (reach.size() + 1L) * capacity(levels);
            for (int k = levels - 1; k >= 0; k--) {
                long before = reach.isEmpty() ? 0 : reach.getLast()[k] + row[k + 1];
                row[k] = reach.isEmpty() ? capacity(k) : Math.min(Integer.MAX_VALUE, before);
            }
            reach.add(row);
        }
        return reach.get(times)[level];
    }

    /** The approximate number of forward iterations to reverse a number of iterations. */
    private long about(long iterations, int level) {
        if (iterations <= capacity(level)) return 0;
        if (level >= levels) {
            long taped = capacity(levels);
            long times = Math.ceilDiv(iterations, taped);
            return (times - 1) * iterations - taped * times * (times - 1) / 2;
        }
        long sum = 0;
        for (int r = 0; reach(r, level) < iterations; r++) sum += iterations - reach(r, level);
        return sum;
    }

    @Override
    public int middle(int from, int to, int level) {
        int iterations = to - from;
        if (area.tapes() > 1
                && iterations <= SHORT
                && level >= first
                && levels - first <= MOST_LEVELS) return from + parts()[level - first][iterations];
        int r = 1;
        while (reach(r, level) < iterations) r++;
        long least = Math.max(r == 1 ? 1 : reach(r - 2, level), iterations - reach(r, level + 1));
        long most = Math.min(reach(r - 1, level), iterations - reach(r - 1, level + 1));
        long first = Math.clamp(least, 1, Math.max(1, most));
        if (area.tapes() == 1) return from + (int) first;
        long fewest = Long.MAX_VALUE;
        long best = 0;
        // of parts with equal costs the longest comes first: fewer states leave more memory for
        // tapes
        for (long part : new long[] {most, (first + most) / 2, first}) {
            if (part < 1 || part >= iterations) continue;
            long cost = part + about(iterations - part, level + 1) + about(part, level);
            if (cost < fewest) {
                fewest = cost;
                best = part;
            }
        }
        long rest = iterations - capacity(level);
        return rest + about(rest, level) <= fewest ? from : from + (int) best;
    }

    private int[][] parts() {
        if (parts.length > 0) return parts;
        int count = levels - first + 1;
        var costs = new int[count][SHORT + 1];
        parts = new int[count][SHORT + 1];
        for (int k = count - 1; k >= 0; k--) {
            int taped = capacity(first + k);
            int at = 1;
            for (int n = taped + 1; n <= SHORT; n++) {
                int least = Integer.MAX_VALUE;
                int near = at;
                for (int j = Math.max(1, near - NEAR); j <= near + NEAR && j < n; j++) {
                    if (k == count - 1) break;
                    int cost = j + costs[k + 1][n - j] + costs[k][j];
                    if (cost < least) {
                        least = cost;
                        at = j;
                    }
                }
                int alone = n - taped + costs[k][n - taped];
                parts[k][n] = alone <= least ? 0 : at;
                costs[k][n] = Math.min(alone, least);
            }
        }
        return parts;
    }
}
