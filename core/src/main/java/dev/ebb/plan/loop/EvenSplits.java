package dev.ebb.plan.loop;

import dev.ebb.ir.LoopMemory;

import java.util.ArrayList;
import java.util.List;

/**
 * Where to save states of rounds that all cost the same, in room for states and for tapes. {@link
 * Revolve} is the case of one tape: its optimum is reached by letting all rounds be run ahead about
 * equally often. Beside {@code k} saved states {@code N(k, r)} rounds can be reversed when none is
 * run ahead more than {@code r} times: for r = 0 as many as fit on tape, else those before a next
 * state, which are run ahead once more than on their own, and those after it, {@code N(k, r) = N(k,
 * r - 1) + N(k + 1, r)}. Where the next state goes follows from that. Short stretches, of which
 * there are most, are looked up in a table of the best splits.
 *
 * <p>With one tape this is Revolve, and the optimum. Else it is within three percent of a table of
 * all splits, and that within one round of the best that saves states and tapes in any order, as
 * its test measures. (The two kinds of save are those of Beaumont et al., "rotor", 2019, for stages
 * that differ: there the table is of all stretches, here a million equal rounds need a small one.)
 */
public final class EvenSplits implements CheckpointSplits {
    /** Stretches up to this length are looked up. */
    private static final int SHORT = 1024;

    /** The best first part moves little from one length to the next: so far it is looked for. */
    private static final int NEAR = 8;

    /** A table of more levels is not worth its time. */
    private static final int MOST_LEVELS = 400;

    private final LoopMemory room;
    private final int levels;

    /** For each number of times and each level what can be reached; grows when asked for more. */
    private final List<long[]> reach = new ArrayList<>();

    /** From this level on fewer tapes fit than a short stretch is long. */
    private final int first;

    /** For each such level and each length the first part of a stretch; 0 where none is saved. */
    private int[][] parts = {};

    public EvenSplits(LoopMemory room, int rounds) {
        this.room = room;
        levels = Math.min(room.levels(), Math.max(0, rounds - 1));
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
        return room.capacity(level);
    }

    @Override
    public double ahead(int from, int to, int level) {
        return about(to - from, level);
    }

    /**
     * The rounds that can be reversed beside {@code level} states when none is run ahead more than
     * {@code times} times.
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

    /** About how many rounds are run forward to reverse a number of rounds. */
    private long about(long rounds, int level) {
        if (rounds <= capacity(level)) return 0;
        if (level >= levels) {
            long taped = capacity(levels);
            long times = Math.ceilDiv(rounds, taped);
            return (times - 1) * rounds - taped * times * (times - 1) / 2;
        }
        long sum = 0;
        for (int r = 0; reach(r, level) < rounds; r++) sum += rounds - reach(r, level);
        return sum;
    }

    @Override
    public int middle(int from, int to, int level) {
        int rounds = to - from;
        if (room.tapes() > 1 && rounds <= SHORT && level >= first && levels - first <= MOST_LEVELS)
            return from + parts()[level - first][rounds];
        int r = 1;
        while (reach(r, level) < rounds) r++;
        long least = Math.max(r == 1 ? 1 : reach(r - 2, level), rounds - reach(r, level + 1));
        long most = Math.min(reach(r - 1, level), rounds - reach(r - 1, level + 1));
        long first = Math.clamp(least, 1, Math.max(1, most));
        if (room.tapes() == 1) return from + (int) first;
        long fewest = Long.MAX_VALUE;
        long best = 0;
        // of parts that look the same the longest: fewer states leave more room for tapes
        for (long part : new long[] {most, (first + most) / 2, first}) {
            if (part < 1 || part >= rounds) continue;
            long cost = part + about(rounds - part, level + 1) + about(part, level);
            if (cost < fewest) {
                fewest = cost;
                best = part;
            }
        }
        long rest = rounds - capacity(level);
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
