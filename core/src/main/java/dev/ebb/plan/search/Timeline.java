package dev.ebb.plan.search;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A replayed sequence, indexed: when each value is written and read, and how much memory is in use
 * or over a budget between any two steps. Built in one pass; every question is then answered in
 * constant or logarithmic time.
 */
final class Timeline {
    private final SearchModel model;

    /**
     * The events of value {@code v}: {@code events[first[v]..first[v + 1])}, {@code 2 * step +
     * (write ? 1 : 0)}.
     */
    final int[] first;

    int[] events = new int[0];
    int[] order = new int[0];
    int length;
    private long[] memory = new long[0];
    private long[][] highest = new long[1][];
    private int[] overCount = new int[1];
    private double[] overBytes = new double[1];
    private long budget;
    private @Nullable Liveness indexed;
    private long replays;

    /** Whether the work at a step is the first computation of a node. */
    boolean[] firstTime = new boolean[0];

    private final boolean[] seen;

    Timeline(SearchModel model) {
        this.model = model;
        first = new int[model.values.length + 1];
        seen = new boolean[model.works];
    }

    /** Indexes the current replay, unless it is indexed already. */
    void index(Liveness replay, long bound) {
        if (replay == indexed && replay.replays == replays && bound == budget) return;
        indexed = replay;
        replays = replay.replays;
        order = replay.order;
        memory = replay.memory;
        length = replay.length;
        budget = bound;
        if (overCount.length <= length) {
            int capacity = length + length / 4 + 16;
            overCount = new int[capacity + 1];
            overBytes = new double[capacity + 1];
            firstTime = new boolean[capacity];
            highest = new long[32 - Integer.numberOfLeadingZeros(capacity)][capacity];
        }
        indexEvents();
        indexMemory();
    }

    private void indexEvents() {
        int[] operands = model.operands;
        int nodes = model.nodes.size();
        Arrays.fill(first, 0);
        Arrays.fill(seen, false);
        int total = 0;
        for (int i = 0; i < length; i++) {
            int u = order[i];
            int end = model.operandsFrom[u + 1];
            int begin = model.operandsFrom[u];
            for (int k = begin; k < end; k++) first[operands[k] + 1]++;
            total += end - begin;
            firstTime[i] = !seen[u] && u < nodes;
            seen[u] = true;
        }
        for (int v = 1; v < first.length; v++) first[v] += first[v - 1];
        if (events.length < total) events = new int[total + total / 4];
        for (int i = length - 1; i >= 0; i--) {
            int u = order[i];
            int writes = model.writesFrom[u];
            int end = model.operandsFrom[u + 1];
            for (int k = model.operandsFrom[u]; k < writes; k++)
                events[--first[operands[k] + 1]] = 2 * i;
            for (int k = writes; k < end; k++) events[--first[operands[k] + 1]] = 2 * i + 1;
        }
        System.arraycopy(first, 1, first, 0, first.length - 1);
        first[first.length - 1] = total;
    }

    private void indexMemory() {
        for (int i = 0; i < length; i++) {
            long over = Math.max(0, memory[i] - budget);
            overCount[i + 1] = overCount[i] + (over > 0 ? 1 : 0);
            overBytes[i + 1] = overBytes[i] + over;
        }
        System.arraycopy(memory, 0, highest[0], 0, length);
        for (int k = 1; 1 << k <= length; k++) {
            long[] below = highest[k - 1];
            long[] here = highest[k];
            int half = 1 << (k - 1);
            for (int i = 0; i + (1 << k) <= length; i++)
                here[i] = Math.max(below[i], below[i + half]);
        }
    }

    /** The number of steps in {@code [from, to)} at which memory exceeds the budget. */
    int over(int from, int to) {
        return to <= from ? 0 : overCount[to] - overCount[from];
    }

    /** The overflow, summed over the steps of {@code [from, to)}. */
    double overBytes(int from, int to) {
        return to <= from ? 0 : overBytes[to] - overBytes[from];
    }

    double overflow() {
        return overBytes[length];
    }

    /** The most memory in use at any step of {@code [from, to)}; 0 if there is none. */
    long highest(int from, int to) {
        if (to <= from) return 0;
        int k = 31 - Integer.numberOfLeadingZeros(to - from);
        return Math.max(highest[k][from], highest[k][to - (1 << k)]);
    }

    long memory(int step) {
        return memory[step];
    }

    /** The index into {@link #events} of the first event of {@code v} at or after {@code step}. */
    int next(int v, int step) {
        int low = first[v];
        int high = first[v + 1];
        // most values have few events
        while (high - low > 8) {
            int mid = (low + high) >>> 1;
            if (events[mid] >> 1 < step) low = mid + 1;
            else high = mid;
        }
        while (low < high && events[low] >> 1 < step) low++;
        return low;
    }

    /**
     * Whether {@code v} is resident just before {@code step}, because a work at or after it reads
     * it.
     */
    boolean isLive(int v, int step) {
        return isLiveBefore(v, next(v, step));
    }

    /** The same where the next event of {@code v} is number {@code e}. */
    boolean isLiveBefore(int v, int e) {
        return e < first[v + 1]
                ? (events[e] & 1) == 0
                : model.pinned[v] && (model.initial[v] || e > first[v]);
    }

    /**
     * The last step before {@code step} at which {@code v} is written or read; -1 if none, as for a
     * param.
     */
    int last(int v, int step) {
        return lastBefore(v, next(v, step));
    }

    /** The same where the next event of {@code v} is number {@code e}. */
    int lastBefore(int v, int e) {
        return e == first[v] ? -1 : events[e - 1] >> 1;
    }

    /**
     * The growth of the overflow during {@code [from, to)} with {@code bytes} more, on top of
     * {@code held}. If it exceeds {@code most} at {@code price} per byte, the result may be too
     * small, but still exceeds it.
     */
    double harm(long bytes, long held, int from, int to, double price, double most) {
        if (to <= from || highest(from, to) + held + bytes <= budget) return 0;
        if (to - from > 256) return (double) bytes * (to - from);
        long over = held + bytes - budget;
        long sum = 0;
        for (int i = from; i < to; ) {
            int end = Math.min(to, i + 16);
            for (; i < end; i++) sum += Math.min(bytes, Math.max(0, memory[i] + over));
            if ((double) sum * price > most) break;
        }
        return (double) sum;
    }
}
