package dev.ebb.plan.pack;

import java.util.Arrays;

/**
 * Packs buffers with known lifetimes into an arena of a given size from both ends: one pile of
 * buffers grows up from the bottom, another grows down from the top, and the free memory between
 * the piles stays contiguous. Buffers are placed one at a time, long lifetimes first; moments at
 * which little memory is free count most in the length of a lifetime.
 *
 * <p>A buffer that lives longer than the buffers it rests on leaves a gap between itself and the
 * pile at the moments when these are not alive. Memory in such gaps is counted as lost, and the
 * buffer goes to the pile where the loss is the smaller share of the bytes that can still be lost
 * at these moments. In a backward pass, the weights, which are freed one after the other, then lie
 * in one pile, the weight that is freed last outermost; the gradients pile up at the other end in
 * the order in which they are computed; and the free memory between moves through the arena in one
 * piece. First fit would put gradients where weights were freed and cut the free memory into
 * pieces.
 *
 * <p>A buffer that fits on neither pile goes into the tightest gap that is large enough, before
 * buffers with shorter lifetimes fill the gap. It may then lie between the piles, and the piles
 * grow around it.
 *
 * <p>A buffer that finds no place is placed somewhat earlier in the next iteration, as in squeaky
 * wheel optimization (Joslin and Clements, 1999). If a few buffers remain without a place in every
 * iteration, {@link EjectionSearch} continues from the best iteration.
 */
final class TwoEndedPacking {
    /**
     * A buffer without a place counts in the next iteration as if it lived longer by a factor of e
     * to the power p, where p is this number times a random one between 0.5 and 1.5.
     */
    private static final double STEP = 0.2;

    /** A moment counts 2 to this power times as much as one with twice the free memory. */
    private static final double SCARCITY = 4;

    /** Every moment counts as having at least the peak divided by this number free. */
    private static final int MARGIN = 50;

    /** The most iterations: by then the same orders come again. */
    private static final int ITERATIONS = 100;

    /** The low bits of a sort key, which hold the index of a buffer; the others its priority. */
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
     * The moments that have to be looked at. A lifetime begins at each of them, and another ends
     * before the next one begins. All buffers that are ever alive together are so at one of them.
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

    /**
     * The offset of each buffer in the iteration in which the fewest bytes found no place; the
     * offset of a buffer without a place is the capacity.
     */
    long[] offsets() {
        return best;
    }

    /** Whether all buffers fit below {@code capacity}, found in {@code allowance} comparisons. */
    boolean fit(long capacity, long allowance) {
        long least = Long.MAX_VALUE;
        work = 0;
        for (int iteration = 0; iteration < ITERATIONS && work < allowance; iteration++) {
            long out = place(capacity, allowance);
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

    /**
     * Places all buffers anew until the allowance is used up. Returns the bytes of those without a
     * place.
     */
    private long place(long capacity, long allowance) {
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

    /**
     * Places buffer {@code i} on the lower pile or under the upper one. Returns false if it fits on
     * neither, or would lose more bytes than the buffers still to be placed leave free.
     */
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

    /** Whether buffer {@code i} at this offset overlaps none of those between the piles. */
    private boolean isFree(int i, long at) {
        for (int k = 0; k < between; k++) {
            int j = loose[k];
            boolean together = from[j] < to[i] && from[i] < to[j];
            if (together && offset[j] < at + bytes[i] && at < offset[j] + bytes[j]) return false;
        }
        return true;
    }

    /** Places buffer {@code i} into the tightest gap that fits it at all its moments, if any. */
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

    /**
     * Whether buffer {@code i} touches others at its lower end, if it starts at {@code low}, for at
     * least as long as at its upper end, if it starts at {@code high}.
     */
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
