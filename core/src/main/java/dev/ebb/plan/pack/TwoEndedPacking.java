package dev.ebb.plan.pack;

import java.util.Arrays;

/**
 * Brings buffers with known lifetimes into an arena of a given size by piling them up from the
 * bottom and down from the top, those that live longest first, so that the room between stays in
 * one piece. Where a buffer lives longer than what it rests on, room is lost: each goes to the side
 * where that takes the smaller share of what its moments can spare. So weights, which a backward
 * pass lets go of one by one, lie on one side, the last to go outermost; gradients are piled up on
 * the other as they come; and the room between slides, where gradients in the places of weights
 * that happen to have gone would cut it to pieces. How long one lives counts mostly at the moments
 * at which memory is scarce. What fits on neither pile goes into the tightest gap there is, before
 * those that live shorter have filled it: a value that lives while the room slides past it cuts the
 * room in two, and the rest goes around it.
 *
 * <p>A buffer that finds no place goes a little earlier in the next round. This is squeaky wheel
 * optimization (Joslin and Clements, 1999). {@link EjectionSearch} takes over where a few are left
 * out.
 */
final class TwoEndedPacking {
    /** How much earlier one goes that was left out: by such a power of e of its lifetime. */
    private static final double STEP = 0.2;

    /** How much more a moment counts than one that has twice as much to spare, as a power of 2. */
    private static final double SCARCITY = 4;

    /** This part of the peak is spare everywhere. */
    private static final int MARGIN = 50;

    /** By then it goes round in circles. */
    private static final int ROUNDS = 100;

    /** The bits that a buffer's index takes of a key to sort by. */
    private static final int BITS = 22;

    private static final long INDEX = (1L << BITS) - 1;

    private final int[] from;
    private final int[] to;
    private final long[] bytes;
    private final long[] load;
    private final long[] spare;
    private final long[] bottom;
    private final long[] top;
    private final double[] priority;
    private final long[] order;
    private final long[] offset;
    private final PlacedBuffers placed;
    private final int[] near;
    private final int[] loose;
    private int between;
    private final SplitMix dice;
    private long[] best;
    private long work;

    TwoEndedPacking(int[] from, int[] to, long[] bytes, int seed) {
        int n = bytes.length;
        this.bytes = bytes;
        dice = new SplitMix(seed);
        var moments = moments(from, to);
        this.from = Arrays.stream(from).map(time -> moment(moments, time)).toArray();
        this.to = Arrays.stream(to).map(time -> moment(moments, time)).toArray();
        load = new long[moments.length];
        spare = new long[moments.length];
        bottom = new long[moments.length];
        top = new long[moments.length];
        for (int i = 0; i < n; i++)
            for (int m = this.from[i]; m < this.to[i]; m++) load[m] += bytes[i];
        priority = priorities();
        order = new long[n];
        offset = new long[n];
        placed = new PlacedBuffers(this.from, this.to, offset);
        near = new int[n];
        loose = new int[n];
        best = offset;
    }

    /**
     * All that ever lives together does so at one of these: a buffer was added, and one ends before
     * the next one comes.
     */
    private static int[] moments(int[] from, int[] to) {
        var coming = Arrays.stream(from).sorted().distinct().toArray();
        var going = Arrays.stream(to).sorted().distinct().toArray();
        int count = 0;
        for (int k = 0; k < coming.length; k++) {
            int next = moment(going, coming[k] + 1);
            boolean isLast = k + 1 == coming.length;
            if (isLast || next < going.length && going[next] <= coming[k + 1])
                coming[count++] = coming[k];
        }
        return Arrays.copyOf(coming, count);
    }

    private static int moment(int[] moments, int time) {
        int at = Arrays.binarySearch(moments, time);
        return at < 0 ? -at - 1 : at;
    }

    private double[] priorities() {
        double peak = Arrays.stream(load).max().orElse(0);
        var until = new double[load.length + 1];
        for (int m = 0; m < load.length; m++) {
            double free = 1 - load[m] / Math.max(1, peak) + 1.0 / MARGIN;
            until[m + 1] = until[m] + 1 / StrictMath.pow(free, SCARCITY);
        }
        var found = new double[bytes.length];
        for (int i = 0; i < found.length; i++)
            found[i] = StrictMath.log(1 + until[to[i]] - until[from[i]]);
        return found;
    }

    /** Where each starts, in the round that left out least; those left out are at the capacity. */
    long[] offsets() {
        return best;
    }

    /** Whether all found a place below {@code capacity} within {@code allowance} comparisons. */
    boolean fit(long capacity, long allowance) {
        long least = Long.MAX_VALUE;
        work = 0;
        for (int round = 0; round < ROUNDS && work < allowance; round++) {
            long out = round(capacity, allowance);
            if (out < least) {
                least = out;
                best = offset.clone();
            }
            if (out == 0) return true;
            for (int i = 0; i < bytes.length; i++)
                if (offset[i] == capacity) priority[i] += STEP * (0.5 + dice.next());
        }
        return false;
    }

    /** Places all anew, as far as the allowance goes; the bytes of those left out. */
    private long round(long capacity, long allowance) {
        for (int i = 0; i < order.length; i++)
            order[i] = -(long) (priority[i] * 0x1p32) << BITS | i;
        Arrays.sort(order);
        work += 16L * order.length;
        for (int m = 0; m < load.length; m++) {
            spare[m] = capacity - load[m];
            bottom[m] = 0;
            top[m] = capacity;
        }
        Arrays.fill(offset, capacity);
        placed.clear();
        between = 0;
        long out = 0;
        for (long next : order) {
            int i = (int) (next & INDEX);
            if (bytes[i] == 0) offset[i] = 0;
            else if (work > allowance || !pile(i) && !squeezeIn(i, capacity)) out += bytes[i];
        }
        return out;
    }

    /** On the lower pile or under the upper one, unless that takes more room than can be spared. */
    private boolean pile(int i) {
        long low = 0;
        long ceiling = Long.MAX_VALUE;
        for (int m = from[i]; m < to[i]; m++) {
            low = Math.max(low, bottom[m]);
            ceiling = Math.min(ceiling, top[m]);
        }
        work += 3L * (to[i] - from[i]) + between;
        long high = ceiling - bytes[i];
        if (low > high) return false;
        double below = 0;
        double above = 0;
        for (int m = from[i]; m < to[i]; m++) {
            below += share(low - bottom[m], spare[m]);
            above += share(top[m] - ceiling, spare[m]);
        }
        if (below < Double.POSITIVE_INFINITY && !isFree(i, low)) below = Double.POSITIVE_INFINITY;
        if (above < Double.POSITIVE_INFINITY && !isFree(i, high)) above = Double.POSITIVE_INFINITY;
        if (below == Double.POSITIVE_INFINITY && above == Double.POSITIVE_INFINITY) return false;
        boolean down = below <= above;
        offset[i] = down ? low : high;
        placed.add(i);
        for (int m = from[i]; m < to[i]; m++) {
            spare[m] -= down ? low - bottom[m] : top[m] - ceiling;
            if (down) bottom[m] = low + bytes[i];
            else top[m] = high;
        }
        return true;
    }

    private static double share(long lost, long spare) {
        if (lost == 0) return 0;
        return lost > spare ? Double.POSITIVE_INFINITY : (double) lost / spare;
    }

    /** Whether {@code i} would be clear there of all that lie between the piles. */
    private boolean isFree(int i, long at) {
        for (int k = 0; k < between; k++) {
            int j = loose[k];
            boolean together = from[j] < to[i] && from[i] < to[j];
            if (together && offset[j] < at + bytes[i] && at < offset[j] + bytes[j]) return false;
        }
        return true;
    }

    /** Into the tightest gap between those that live beside {@code i}, if there is one. */
    private boolean squeezeIn(int i, long capacity) {
        int count = placed.beside(i, near);
        work += placed.size() + 2L * count;
        long at = 0;
        long low = 0;
        long tightest = Long.MAX_VALUE;
        for (int k = 0; k <= count; k++) {
            long next = k < count ? offset[near[k]] : capacity;
            long gap = next - at - bytes[i];
            if (gap >= 0 && gap < tightest) {
                tightest = gap;
                low = at;
            }
            if (k < count) at = Math.max(at, next + bytes[near[k]]);
        }
        if (tightest == Long.MAX_VALUE) return false;
        long high = low + tightest;
        boolean down = low == 0 || high + bytes[i] < capacity && rests(i, low, high, count);
        offset[i] = down ? low : high;
        placed.add(i);
        loose[between++] = i;
        return true;
    }

    /** Whether it rests on others at {@code low} for longer than it hangs from some at the top. */
    private boolean rests(int i, long low, long high, int count) {
        long touching = 0;
        for (int k = 0; k < count; k++) {
            int j = near[k];
            int time = Math.min(to[i], to[j]) - Math.max(from[i], from[j]);
            if (offset[j] + bytes[j] == low) touching += time;
            if (offset[j] == high + bytes[i]) touching -= time;
        }
        return touching >= 0;
    }
}
