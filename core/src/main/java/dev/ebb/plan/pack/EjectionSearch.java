package dev.ebb.plan.pack;

/**
 * Brings buffers with known lifetimes into an arena of a given size. Those that stick out wait in a
 * pool. One of them, by chance, is put where it fits most tightly; where it fits nowhere, it takes
 * the place whose owners are easiest to put elsewhere, and those go to the pool. A buffer that
 * found no place weighs more from then on, so that the search does not go round in circles. This is
 * guided ejection search (Nagata and Bräysy, 2009), which they use to do with fewer vehicles.
 *
 * <p>A step looks at the living neighbours of one buffer, not at all buffers as a new packing
 * would, so that many more changes are tried in the same time.
 */
final class EjectionSearch {
    /** How much chance enters the choice of a place. */
    private static final double NOISE = 0.1;

    private final long[] bytes;
    private final long[] offset;
    private final double[] effort;
    private final double[] weight;
    private final SplitMix dice;

    private final PlacedBuffers placed;
    private final int[] pool;
    private int waiting;

    private final int[] above;
    private final int[] below;
    private final long[] ends;
    private final long[] bases;
    private long work;

    /** The buffers start at {@code offsets}, each clear of its neighbours. */
    EjectionSearch(int[] from, int[] to, long[] bytes, long[] offsets, int seed) {
        dice = new SplitMix(seed);
        this.bytes = bytes;
        offset = offsets.clone();
        int n = bytes.length;
        effort = new double[n];
        for (int i = 0; i < n; i++) effort[i] = Math.sqrt((double) bytes[i] * (to[i] - from[i]));
        weight = effort.clone();
        placed = new PlacedBuffers(from, to, offset);
        pool = new int[n];
        above = new int[n];
        below = new int[n];
        ends = new long[n];
        bases = new long[n];
    }

    long[] offsets() {
        return offset;
    }

    private long end(int i) {
        return offset[i] + bytes[i];
    }

    /** Whether all found a place below {@code capacity} within {@code allowance} comparisons. */
    boolean fit(long capacity, long allowance) {
        work = 0;
        placed.clear();
        waiting = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) continue;
            if (end(i) <= capacity) placed.add(i);
            else pool[waiting++] = i;
        }
        while (waiting > 0) {
            if (work > allowance) return false;
            int at = dice.below(waiting);
            int next = pool[at];
            pool[at] = pool[--waiting];
            settle(next, capacity);
        }
        return true;
    }

    /** Finds a place for {@code i}, if need be that of others. */
    private void settle(int i, long capacity) {
        int near = placed.beside(i, above);
        sortByEnd(near);
        work += placed.size() + 4L * near;
        long size = bytes[i];
        long at = 0;
        long target = 0;
        long tightest = Long.MAX_VALUE;
        double least = Double.POSITIVE_INFINITY;
        double inTheWay = 0;
        int entered = 0;
        int left = 0;
        int under = 0;
        while (at + size <= capacity) {
            for (; entered < near && bases[entered] < at + size; entered++)
                inTheWay += weight[above[entered]];
            for (; left < near && ends[left] <= at; left++) inTheWay -= weight[below[left]];
            if (entered == left) {
                long spare = (entered < near ? bases[entered] : capacity) - at - size;
                if (spare < tightest) {
                    tightest = spare;
                    target = at;
                }
            } else if (tightest == Long.MAX_VALUE && inTheWay < least) {
                double price = inTheWay * (1 + NOISE * dice.next());
                if (price < least) {
                    least = price;
                    target = at;
                }
            }
            // the next place on top of a neighbour or right under one
            long next = left < near ? ends[left] : Long.MAX_VALUE;
            while (under < near && bases[under] - size <= at) under++;
            long hanging = (under < near ? bases[under] : capacity) - size;
            if (hanging > at && hanging < next) next = hanging;
            if (next == Long.MAX_VALUE) break;
            at = next;
        }
        if (tightest == Long.MAX_VALUE) {
            weight[i] += effort[i];
            eject(near, target, target + size);
        }
        offset[i] = target;
        placed.add(i);
    }

    /** The neighbours, lowest end first: by insertion, since most are in that order already. */
    private void sortByEnd(int near) {
        for (int k = 0; k < near; k++) {
            int i = above[k];
            bases[k] = offset[i];
            long end = end(i);
            int at = k;
            for (; at > 0 && ends[at - 1] > end; at--) {
                ends[at] = ends[at - 1];
                below[at] = below[at - 1];
            }
            ends[at] = end;
            below[at] = i;
        }
    }

    private void eject(int near, long low, long high) {
        for (int k = 0; k < near; k++) {
            int j = above[k];
            if (offset[j] >= high || end(j) <= low) continue;
            placed.remove(j);
            pool[waiting++] = j;
        }
    }
}
