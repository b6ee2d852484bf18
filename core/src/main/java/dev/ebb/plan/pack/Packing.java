package dev.ebb.plan.pack;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Places buffers with known lifetimes in one arena (dynamic storage allocation, which is NP-hard).
 * Buffers are placed one by one, each at the lowest offset where it overlaps no buffer that is
 * alive at the same time, so the result depends on their order. Several orders are tried; large
 * buffers first usually gives the smallest arena. Then the buffers that end above the peak of live
 * bytes, a lower bound for every arena, are placed first.
 *
 * <p>If the arena is still larger than that peak, ever smaller arenas are tried in two ways. {@link
 * EjectionSearch} improves the best packing so far: it packs the large buffers below a part of the
 * arena that is reserved for the small ones. {@link TwoEndedPacking} packs all buffers anew, and
 * {@link EjectionSearch} places those it left out. The work is bounded by counts, not by a clock,
 * so the result is the same on every machine.
 */
public final class Packing {
    /** Every buffer starts at a multiple of this: a cache line. */
    public static final long ALIGNMENT = 64;

    /** The most comparisons for trying orders. */
    private static final long PATIENCE = 80_000_000L;

    private static final int ITERATIONS = 20;

    /** Sizes of arenas to try, in thousandths of the peak of live bytes. */
    private static final int[] GOALS = {1080, 1040, 1030, 1025, 1020, 1010, 1005, 1002, 1000};

    /** Attempts for each size to improve the best packing and, below the next, to pack anew. */
    private static final int ATTEMPTS = 3;

    /**
     * The size that every plan should reach. It gets more attempts to pack anew: the first number
     * below if the size before it was reached, else the second.
     */
    private static final int PROMISED = 1020;

    private static final int PROMISED_ATTEMPTS = 40;

    private static final int DISTANT_ATTEMPTS = 10;

    /** The most comparisons of {@link TwoEndedPacking}, in the first attempts and in later ones. */
    private static final long PILING = 20_000_000L;

    private static final long LONG_PILING = 100_000_000L;

    /** The most comparisons of {@link EjectionSearch}, in the first attempts and in later ones. */
    private static final long ATTEMPT = 10_000_000L;

    private static final long LONG_ATTEMPT = 40_000_000L;

    /**
     * The numbers of comparisons above are for this many buffers or more; fewer buffers get
     * proportionally less. If a few buffers fit, that is found soon, and often no packing of the
     * size exists.
     */
    private static final long MANY = 500;

    /** A buffer is small below the peak divided by this; attempts use the numbers in turn. */
    private static final int[] SMALL = {300, 1000, Integer.MAX_VALUE};

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

    /** The best packing found. */
    public static Packing of(int[] from, int[] to, long[] bytes) {
        var packing = new Packing(from, to, bytes);
        packing.search();
        return packing;
    }

    private Packing(int[] from, int[] to, long[] bytes) {
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
    }

    /** The classes that compute packings. */
    public static Class<?>[] searching() {
        return new Class<?>[] {
            Packing.class,
            EjectionSearch.class,
            PlacedBuffers.class,
            SplitMix.class,
            TwoEndedPacking.class
        };
    }

    /** The offset of each buffer. */
    public long[] offsets() {
        return best;
    }

    /** The size of the arena: where the highest buffer ends. */
    public long arena() {
        return bestArena;
    }

    /** The most bytes that are alive at one time: no arena can be smaller. */
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
        var byLife = byLife();
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
        promote(order);
        shrink();
    }

    private Comparator<Integer> byLife() {
        return Comparator.comparingInt((Integer i) -> from[i] - to[i]);
    }

    private int[] sorted(Comparator<Integer> by) {
        return IntStream.range(0, bytes.length)
                .boxed()
                .sorted(by.thenComparing(Comparator.<Integer>naturalOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Places all buffers a few more times, those that ended above the floor first. */
    private void promote(int[] start) {
        int[] order = start;
        for (int iteration = 0;
                iteration < ITERATIONS && bestArena > floor && work < PATIENCE;
                iteration++) {
            place(order, Long.MAX_VALUE);
            int[] rest = order;
            order =
                    IntStream.concat(
                                    Arrays.stream(rest).filter(i -> offset[i] + bytes[i] > floor),
                                    Arrays.stream(rest).filter(i -> offset[i] + bytes[i] <= floor))
                            .toArray();
        }
    }

    /**
     * Tries smaller and smaller arenas, from {@link #PROMISED} on only until one is not reached.
     */
    private void shrink() {
        boolean reached = true;
        for (int goal : GOALS) {
            // a multiple of a cache line, so that the part for small buffers begins at one
            long spare = floor / 1000 * (goal - 1000) / ALIGNMENT * ALIGNMENT;
            long target = floor + spare;
            int promised = reached ? PROMISED_ATTEMPTS : DISTANT_ATTEMPTS;
            int anew = goal > PROMISED ? 1 : goal == PROMISED ? promised : ATTEMPTS;
            for (int k = 0; k < Math.max(anew, ATTEMPTS) && bestArena > target; k++) {
                improve(target, k);
                if (k < anew && bestArena > target) build(target, k);
            }
            reached = bestArena <= target;
            if (goal <= PROMISED && !reached) return;
        }
    }

    /** Shrinks the best packing to {@code goal} bytes, with the small buffers in a part above. */
    private void improve(long goal, int attempt) {
        long limit = floor / SMALL[attempt % SMALL.length];
        var large = some(i -> bytes[i] >= limit);
        var small = some(i -> bytes[i] < limit);
        var upper = among(small);
        if (small.length > 0) upper.place(upper.sorted(upper.byLife()), Long.MAX_VALUE);
        long height = small.length > 0 ? upper.bestArena : 0;
        var rest = among(large);
        if (rest.floor + height > goal) return;
        long lower = goal - height;
        var start = Arrays.stream(large).mapToLong(i -> best[i]).toArray();
        var ejection = new EjectionSearch(rest.from, rest.to, rest.bytes, start, attempt);
        if (!ejection.fit(lower, effort(attempt))) return;
        var found = new long[bytes.length];
        for (int k = 0; k < large.length; k++) found[large[k]] = ejection.offsets()[k];
        for (int k = 0; k < small.length; k++) found[small[k]] = lower + upper.best[k];
        settle(found, goal);
    }

    /** Packs all buffers anew in {@code goal} bytes. */
    private void build(long goal, int attempt) {
        var piles = new TwoEndedPacking(from, to, bytes, attempt);
        boolean fits = piles.fit(goal, allowance(attempt < ATTEMPTS ? PILING : LONG_PILING));
        var ejection = new EjectionSearch(from, to, bytes, piles.offsets(), attempt);
        if (fits || ejection.fit(goal, effort(attempt)))
            settle(fits ? piles.offsets() : ejection.offsets(), goal);
    }

    private long effort(int attempt) {
        return allowance(attempt < ATTEMPTS ? ATTEMPT : LONG_ATTEMPT);
    }

    private long allowance(long most) {
        return most / MANY * Math.min(MANY, bytes.length);
    }

    private void settle(long[] found, long arena) {
        best = found;
        bestArena = arena;
        // a buffer above a gap is moved down into it
        place(sorted(Comparator.comparingLong(i -> best[i])), arena);
    }

    private int[] some(IntPredicate which) {
        return IntStream.range(0, bytes.length).filter(which).toArray();
    }

    private Packing among(int[] some) {
        return new Packing(
                Arrays.stream(some).map(i -> from[i]).toArray(),
                Arrays.stream(some).map(i -> to[i]).toArray(),
                Arrays.stream(some).mapToLong(i -> bytes[i]).toArray());
    }

    /**
     * Places the buffers in this order, each at the lowest offset that is free. Returns false where
     * the arena would be larger than {@code limit}; otherwise keeps the offsets if they are the
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
