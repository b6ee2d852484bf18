package dev.ebb.plan.pack;

/**
 * Packs buffers with known lifetimes into an arena of a given size, beginning with a packing that
 * is too large. The buffers that end above the arena wait in a pool. Each step takes one of them at
 * random and places it in the tightest gap that fits it. If there is none, it goes where the
 * buffers in its way have the least total weight, and these go to the pool. A buffer's weight is an
 * estimate of how hard it is to place; it grows each time that buffer finds no gap, so that two
 * buffers do not push each other out forever. This is guided ejection search (Nagata and Bräysy,
 * 2009), which they use to plan vehicle routes with fewer vehicles.
 *
 * <p>A step looks only at the buffers whose lifetimes overlap that of one buffer. A new packing
 * would place all buffers, so this search tries many more changes in the same time.
 */
final class EjectionSearch {
    /** The weight of the buffers in the way is raised at random by up to this part of it. */
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

    /** Begins with the buffers at {@code offsets}, where none overlap. */
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

    /** Whether all buffers fit below {@code capacity}, found in {@code allowance} comparisons. */
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

    /** Places buffer {@code i}; where it fits nowhere, other buffers go to the pool for it. */
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

    /**
     * Sorts the neighbours by their ends, by insertion: they are sorted by offset, so most are in
     * order already.
     */
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
