package dev.ebb.plan.loop;

import java.util.ArrayDeque;
import java.util.ArrayList;

/**
 * Optimal checkpointing of equal steps with a fixed number of saved states (Griewank and Walther,
 * "Revolve", 2000). With {@code s} slots, the first of them for the initial state, and {@code r}
 * the least number with {@code C(s + r, s) >= n}, reversing {@code n} steps takes {@code n (r + 1)
 * - C(s + r, s + 1)} forward steps, each step's own taped one included. Where to put the next
 * checkpoint follows from that formula: the cost of the two halves is convex in the split, so a
 * binary search finds it.
 */
public final class Revolve {
    private Revolve() {}

    /**
     * The forward steps it takes to reverse {@code steps} steps with {@code slots} saved states.
     */
    public static long forwards(long steps, int slots) {
        check(steps, slots);
        if (slots == 1) return steps * (steps + 1) / 2;
        long r = repetitions(steps, slots);
        return steps * (r + 1) - choose(slots + r, slots + 1);
    }

    /** The schedule that takes this number of forward steps. */
    public static ChainSchedule schedule(int steps, int slots) {
        check(steps, slots);
        var list = new ArrayList<ChainStep>();
        var open = new ArrayDeque<Span>();
        if (steps > 0) open.push(new Span(0, steps, slots));
        while (!open.isEmpty()) {
            var span = open.pop();
            if (span.slots == 1 || span.length() == 1) {
                for (int k = span.from; k < span.to - 1; k++) list.add(new ChainStep.Forward(k));
                list.add(new ChainStep.Tape(span.to - 1));
                list.add(new ChainStep.Backward(span.to - 1));
                if (span.length() > 1) open.push(new Span(span.from, span.to - 1, span.slots));
            } else {
                int middle = span.from + (int) split(span.length(), span.slots);
                for (int k = span.from; k < middle; k++) list.add(new ChainStep.Forward(k));
                list.add(new ChainStep.Save(middle));
                open.push(new Span(span.from, middle, span.slots));
                open.push(new Span(middle, span.to, span.slots - 1));
            }
        }
        return new ChainSchedule(steps, list);
    }

    /**
     * Steps {@code [from, to)} yet to be reversed; state {@code from} is saved in the first of the
     * slots.
     */
    private record Span(int from, int to, int slots) {
        int length() {
            return to - from;
        }
    }

    private static void check(long steps, int slots) {
        if (steps < 0)
            throw new IllegalArgumentException("a chain cannot have " + steps + " steps");
        if (slots < 1)
            throw new IllegalArgumentException(
                    "the initial state needs a slot: " + slots + " are too few");
    }

    /** The number of steps to advance before saving the next state. */
    public static long split(long steps, int slots) {
        long low = 1;
        long high = steps - 1;
        while (low < high) {
            long mid = (low + high) >>> 1;
            if (cost(steps, slots, mid) <= cost(steps, slots, mid + 1)) high = mid;
            else low = mid + 1;
        }
        return low;
    }

    private static long cost(long steps, int slots, long split) {
        return split + forwards(steps - split, slots - 1) + forwards(split, slots);
    }

    private static long repetitions(long steps, int slots) {
        long r = 0;
        for (long reach = 1; reach < steps; reach = reach * (slots + r) / r) r++;
        return r;
    }

    /** {@code n} over {@code k}, or a number too large to matter. */
    private static long choose(long n, long k) {
        if (k > n) return 0;
        long small = Math.min(k, n - k);
        long product = 1;
        for (long i = 1; i <= small; i++) {
            if (product > Long.MAX_VALUE / 4 / (n - small + i)) return Long.MAX_VALUE / 4;
            product = product * (n - small + i) / i;
        }
        return product;
    }
}
