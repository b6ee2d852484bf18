package dev.ebb.plan;

import dev.ebb.ir.Room;

import java.util.ArrayList;
import java.util.List;

/**
 * Where to save states of rounds that all cost the same, in room for states and for tapes. {@link
 * Revolve} is the case of one tape: its optimum is reached by letting every round be run ahead
 * equally often. The same here, except that a stretch ends where its rounds can be taped, not where
 * one is left, and that fewer tapes fit the more states are saved. {@code reach(level, r)} rounds
 * can be reversed beside {@code level} saved states when none is run ahead more than {@code r}
 * times: as many as fit on tape for r = 0, else those before a next state, run ahead once more than
 * on their own, and those after it.
 *
 * <p>With one tape this is the optimum; else it is within two percent of it, as its test measures
 * against every schedule there is for short loops. (The two kinds of save are those of Beaumont et
 * al., "rotor", 2019, for stages that differ: there the table is of every stretch, here a million
 * equal rounds take a few dozen numbers.)
 */
final class Reach implements Splits {
    private final Room room;
    private final int levels;

    /** For each number of times and each level what can be reached; grows when asked for more. */
    private final List<long[]> reach = new ArrayList<>();

    Reach(Room room, int rounds) {
        this.room = room;
        levels = Math.min(room.levels(), Math.max(0, rounds - 1));
        if (levels == 0) return;
        var row = new long[levels + 1];
        for (int k = 0; k <= levels; k++) row[k] = room.capacity(k);
        reach.add(row);
    }

    /** The rounds that can be reversed when none is run ahead more than {@code times} times. */
    private long reach(int times, int level) {
        while (reach.size() <= times) {
            var row = reach.getLast();
            var next = new long[levels + 1];
            next[levels] = row[levels] + room.capacity(levels);
            for (int k = levels - 1; k >= 0; k--)
                next[k] = Math.min(Integer.MAX_VALUE, row[k] + next[k + 1]);
            reach.add(next);
        }
        return reach.get(times)[level];
    }

    @Override
    public int levels() {
        return levels;
    }

    @Override
    public int capacity(int level) {
        return room.capacity(level);
    }

    /** About how many rounds are run ahead to reverse {@code rounds} beside so many states. */
    @Override
    public double ahead(int from, int to, int level) {
        return ahead(to - from, level);
    }

    private long ahead(long rounds, int level) {
        if (rounds <= capacity(level)) return 0;
        if (level >= levels) {
            long p = capacity(levels);
            long times = Math.ceilDiv(rounds, p);
            return (times - 1) * rounds - p * times * (times - 1) / 2;
        }
        long sum = 0;
        for (int r = 0; reach(r, level) < rounds; r++) sum += rounds - reach(r, level);
        return sum;
    }

    @Override
    public int middle(int from, int to, int level) {
        long rounds = to - from;
        int r = 1;
        while (reach(r, level) < rounds) r++;
        long least = Math.max(r == 1 ? 1 : reach(r - 2, level), rounds - reach(r, level + 1));
        long most = Math.min(reach(r - 1, level), rounds - reach(r - 1, level + 1));
        long first = best(Math.max(1, least), Math.max(1, most), rounds, level);
        long taped = capacity(level);
        boolean peel = rounds - taped + ahead(rounds - taped, level) <= cost(first, rounds, level);
        return peel ? from : from + (int) first;
    }

    private long best(long least, long most, long rounds, int level) {
        if (least >= most) return least;
        long middle = (least + most) >>> 1;
        long best = least;
        for (long j : new long[] {middle, most}) {
            if (cost(j, rounds, level) < cost(best, rounds, level)) best = j;
        }
        return best;
    }

    private long cost(long first, long rounds, int level) {
        return first + ahead(rounds - first, level + 1) + ahead(first, level);
    }
}
