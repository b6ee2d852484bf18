package dev.ebb.plan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Places buffers with known lifetimes in one arena (dynamic storage allocation, which is NP-hard).
 * Buffers are placed one by one, each at the lowest offset where no living neighbour lies; what
 * matters is the order. Several are tried, large ones first being the usual winner, and the best is
 * improved: whoever ends above the peak of live bytes, which no arena can undercut, goes to the
 * front together with those it collides with (in the manner of TelaMalloc, Maas et al., 2022). The
 * work is bounded by a count, not by a clock.
 */
final class Packing {
    /** Comparisons spent on one packing; beyond it the best so far stands. */
    private static final long PATIENCE = 600_000_000L;

    private static final int ROUNDS = 400;

    private final int[] from;
    private final int[] to;
    private final long[] bytes;
    private final long floor;
    private long[] best = new long[0];
    private long bestArena = Long.MAX_VALUE;
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
        int[] order = place(bySize.thenComparing(byLife).thenComparing(byStart));
        for (var other :
                java.util.List.of(
                        byLife.thenComparing(bySize), byArea, byStart.thenComparing(byLife))) {
            if (bestArena == floor || work > PATIENCE / 2) return;
            long before = bestArena;
            int[] tried = place(other);
            if (bestArena < before) order = tried;
        }
        for (int round = 0; round < ROUNDS && bestArena > floor && work < PATIENCE; round++) {
            order = promote(order);
            place(order);
        }
    }

    private int[] place(Comparator<Integer> by) {
        int[] order =
                IntStream.range(0, bytes.length)
                        .boxed()
                        .sorted(by.thenComparing(Comparator.<Integer>naturalOrder()))
                        .mapToInt(Integer::intValue)
                        .toArray();
        place(order);
        return order;
    }

    /** First fit in this order; remembers the offsets if the arena is the smallest so far. */
    private void place(int[] order) {
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
            offset[i] = at;
            insert(i, count++);
            arena = Math.max(arena, at + size);
        }
        if (arena < bestArena) {
            bestArena = arena;
            best = offset.clone();
        }
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

    /** Whoever ended too high goes first, the others follow in their order. */
    private int[] promote(int[] order) {
        var first = new int[order.length];
        var rest = new int[order.length];
        int a = 0;
        int b = 0;
        for (int i : order) {
            if (offset[i] + bytes[i] > floor) first[a++] = i;
            else rest[b++] = i;
        }
        System.arraycopy(rest, 0, first, a, b);
        return first;
    }
}
