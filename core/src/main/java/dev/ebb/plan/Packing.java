package dev.ebb.plan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Places buffers with known lifetimes in one arena (dynamic storage allocation, which is NP-hard).
 * Buffers are placed one by one, each at the lowest offset where no living neighbour lies; what
 * matters is the order. Several are tried, large ones first being the usual winner, and the best is
 * improved: whoever ends above the peak of live bytes, which no arena can undercut, or lives beside
 * one that does, is tried elsewhere in the order. The work is bounded by a count, not by a clock.
 */
final class Packing {
    /** Comparisons spent on one packing; beyond it the best so far stands. */
    private static final long PATIENCE = 80_000_000L;

    private static final int ROUNDS = 20;

    private final int[] from;
    private final int[] to;
    private final long[] bytes;
    private final long floor;
    private long[] best = new long[0];
    private long bestArena = Long.MAX_VALUE;
    private long reached;
    private long work;

    private final long[] offset;
    private final int[] sorted;
    private final int[] sortedFrom;
    private final int[] sortedTo;
    private final long[] sortedOffset;
    private final long[] sortedEnd;

    Packing(int[] from, int[] to, long[] bytes) {
        this.from = from;
        this.to = to;
        this.bytes = bytes;
        int n = bytes.length;
        offset = new long[n];
        sorted = new int[n];
        sortedFrom = new int[n];
        sortedTo = new int[n];
        sortedOffset = new long[n];
        sortedEnd = new long[n];
        floor = peak();
        search();
    }

    /** Where each buffer starts. */
    long[] offsets() {
        return best;
    }

    /** The end of the last one. */
    long arena() {
        return bestArena;
    }

    /** The most bytes that live at once. */
    long floor() {
        return floor;
    }

    private long peak() {
        int n = bytes.length;
        var events = new long[2 * n];
        for (int i = 0; i < n; i++) {
            events[2 * i] = (from[i] + 1L) << 32 | 1L << 31 | i;
            events[2 * i + 1] = (to[i] + 1L) << 32 | i;
        }
        Arrays.sort(events);
        long now = 0;
        long peak = 0;
        for (long e : events) {
            int i = (int) (e & 0x7fffffff);
            now += (e >> 31 & 1) == 1 ? bytes[i] : -bytes[i];
            peak = Math.max(peak, now);
        }
        return peak;
    }

    private void search() {
        Comparator<Integer> bySize = Comparator.comparingLong((Integer i) -> -bytes[i]);
        Comparator<Integer> byLife = Comparator.comparingInt((Integer i) -> from[i] - to[i]);
        Comparator<Integer> byStart = Comparator.comparingInt((Integer i) -> from[i]);
        Comparator<Integer> byArea =
                Comparator.comparingDouble((Integer i) -> -(double) bytes[i] * (to[i] - from[i]));
        int[] order = sorted(bySize.thenComparing(byLife).thenComparing(byStart));
        place(order, Long.MAX_VALUE);
        for (var by :
                List.of(byLife.thenComparing(bySize), byArea, byStart.thenComparing(byLife))) {
            if (bestArena == floor || work > PATIENCE) return;
            int[] other = sorted(by);
            if (place(other, bestArena - 1)) order = other;
        }
        order = promoted(order);
        climb(order);
    }

    private int[] sorted(Comparator<Integer> by) {
        return IntStream.range(0, bytes.length)
                .boxed()
                .sorted(by.thenComparing(Comparator.<Integer>naturalOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /**
     * A few rounds in which whoever ended above the floor goes to the front; the best order found.
     */
    private int[] promoted(int[] start) {
        int[] best = start;
        int[] order = start;
        for (int round = 0; round < ROUNDS && bestArena > floor && work < PATIENCE; round++) {
            long before = bestArena;
            place(order, Long.MAX_VALUE);
            if (bestArena < before) best = order;
            int[] rest = order;
            order =
                    IntStream.concat(
                                    Arrays.stream(rest).filter(i -> offset[i] + bytes[i] > floor),
                                    Arrays.stream(rest).filter(i -> offset[i] + bytes[i] <= floor))
                            .toArray();
        }
        return best;
    }

    /**
     * Moves one buffer at a time, one that ends high or lives beside one that does, and keeps what
     * is no worse.
     */
    private void climb(int[] start) {
        var dice = new Dice(1);
        int[] order = start;
        place(order, Long.MAX_VALUE);
        long arena = reached;
        double excess = excess();
        while (bestArena > floor && work < PATIENCE) {
            work += order.length;
            int high = pick(order, dice);
            int moved = dice.next() < 0.5 ? high : neighbour(order, high, dice);
            int[] next = moved(order, moved, dice);
            if (!place(next, arena)) continue;
            double now = excess();
            if (reached < arena || now <= excess) {
                arena = reached;
                excess = now;
                order = next;
            }
        }
    }

    /** By how much the buffers stick out above the floor, all in all. */
    private double excess() {
        double sum = 0;
        for (int i = 0; i < bytes.length; i++) sum += Math.max(0, offset[i] + bytes[i] - floor);
        return sum;
    }

    /** One of those that end above the floor in the best packing. */
    private int pick(int[] order, Dice dice) {
        int count = 0;
        int chosen = order[0];
        for (int i : order) {
            if (best[i] + bytes[i] > floor && dice.below(++count) == 0) chosen = i;
        }
        return chosen;
    }

    private int neighbour(int[] order, int of, Dice dice) {
        int count = 0;
        int chosen = of;
        for (int i : order) {
            if (from[i] < to[of] && from[of] < to[i] && dice.below(++count) == 0) chosen = i;
        }
        return chosen;
    }

    private static int[] moved(int[] order, int which, Dice dice) {
        int at = 0;
        while (order[at] != which) at++;
        int target = dice.next() < 0.7 ? dice.below(at + 1) : dice.below(order.length);
        var next = order.clone();
        if (target <= at) System.arraycopy(order, target, next, target + 1, at - target);
        else System.arraycopy(order, at + 1, next, at, target - at);
        next[target] = which;
        return next;
    }

    /**
     * First fit in this order, given up beyond {@code limit}; remembers the offsets if they are the
     * best so far.
     */
    private boolean place(int[] order, long limit) {
        int count = 0;
        long arena = 0;
        for (int i : order) {
            if (bytes[i] == 0) {
                offset[i] = 0;
                continue;
            }
            long at = 0;
            int f = from[i];
            int t = to[i];
            long size = bytes[i];
            int k = 0;
            for (; k < count; k++) {
                if (sortedFrom[k] >= t || sortedTo[k] <= f) continue;
                if (sortedOffset[k] - at >= size) break;
                if (sortedEnd[k] > at) at = sortedEnd[k];
            }
            work += k + 1;
            if (at + size > limit) return false;
            offset[i] = at;
            insert(i, count++);
            arena = Math.max(arena, at + size);
        }
        reached = arena;
        if (arena < bestArena) {
            bestArena = arena;
            best = offset.clone();
        }
        return true;
    }

    private void insert(int i, int count) {
        int low = 0;
        int high = count;
        while (low < high) {
            int mid = (low + high) >>> 1;
            if (sortedOffset[mid] <= offset[i]) low = mid + 1;
            else high = mid;
        }
        int moved = count - low;
        System.arraycopy(sorted, low, sorted, low + 1, moved);
        System.arraycopy(sortedFrom, low, sortedFrom, low + 1, moved);
        System.arraycopy(sortedTo, low, sortedTo, low + 1, moved);
        System.arraycopy(sortedOffset, low, sortedOffset, low + 1, moved);
        System.arraycopy(sortedEnd, low, sortedEnd, low + 1, moved);
        sorted[low] = i;
        sortedFrom[low] = from[i];
        sortedTo[low] = to[i];
        sortedOffset[low] = offset[i];
        sortedEnd[low] = offset[i] + bytes[i];
    }
}
