package dev.ebb.plan;

import java.util.Arrays;

/**
 * Brings buffers with known lifetimes into an arena of a given size by piling them up from the
 * bottom and down from the top, those that live longest first, so that the room between is always
 * in one piece. What a buffer does not rest on in all its life is lost at the moments at which it
 * does not: each goes to the side where that costs the smaller share of the room that those moments
 * can spare. So weights, which a backward pass lets go of one by one, hang from the top, the last
 * to go uppermost; gradients are stacked from the bottom as they come; and the room slides upwards,
 * where gradients in the places of weights that happen to have gone would cut it to pieces.
 *
 * <p>Whoever found no place goes earlier in the next round. This is squeaky wheel optimization
 * (Joslin and Clements, 1999). A round costs as much as two or three steps for each buffer in {@link
 * Ejection}, and few are left out after some; it is {@link Ejection} that finds places for these.
 */
final class Piles {
    /** How much earlier, as a factor of the lifetime's logarithm, one goes that was left out. */
    static double STEP = Double.parseDouble(System.getProperty("step", "0.2"));

    static double POW = Double.parseDouble(System.getProperty("pw", "4")), EPS = Double.parseDouble(System.getProperty("eps", "50"));
    private final int[] from;
    private final int[] to;
    private final long[] bytes;
    private final long[] load;
    private final long[] spare;
    private final long[] bottom;
    private final long[] top;
    private final double[] late;
    private final long[] order;
    private final long[] offset;
    private final long[] near;
    private final int[] loose;
    private int between;
    private final Dice dice;
    private long[] best;
    private long leastOut = Long.MAX_VALUE;
    private long work;

    Piles(int[] from, int[] to, long[] bytes, int seed) {
        int n = bytes.length;
        this.bytes = bytes;
        dice = new Dice(seed);
        // what lives together at any moment does so when the last of them is born
        var moments = Arrays.stream(from).sorted().distinct().toArray();
        this.from = Arrays.stream(from).map(t -> moment(moments, t)).toArray();
        this.to = Arrays.stream(to).map(t -> moment(moments, t)).toArray();
        load = new long[moments.length];
        spare = new long[moments.length];
        bottom = new long[moments.length];
        top = new long[moments.length];
        late = new double[n];
        order = new long[n];
        offset = new long[n];
        near = new long[n];
        loose = new int[n];
        best = new long[n];
        for (int i = 0; i < n; i++) {
            for (int t = this.from[i]; t < this.to[i]; t++) load[t] += bytes[i];
        }
        long most = Arrays.stream(load).max().orElse(0);
        var tight = new double[load.length];
        for (int m = 0; m < load.length; m++) tight[m] = Math.pow(1.0 * most / (most - load[m] + most / EPS), POW);
        for (int i = 0; i < n; i++) {
            double life = 1e-9;
            for (int m = this.from[i]; m < this.to[i]; m++) life += tight[m];
            late[i] = -Math.log(life);
        }
    }

    private static int moment(int[] moments, int time) {
        int at = Arrays.binarySearch(moments, time);
        return at < 0 ? -at - 1 : at;
    }

    /** Where each starts, of the round that left out least; those are at the capacity. */
    long[] offsets() {
        return best;
    }

    /** Whether all found a place below {@code capacity} within so many rounds. */
    boolean fit(long capacity, int rounds) {
        leastOut = Long.MAX_VALUE;
        work = 0;
        for (int round = 0; round < rounds; round++) {
            sort();
            long out = pile(capacity);
            if (out < leastOut) {
                leastOut = out;
                best = offset.clone();
            }
            if (out == 0) return true;
            for (int i = 0; i < bytes.length; i++)
                if (offset[i] == capacity) late[i] -= STEP * (0.5 + dice.next());
        }
        return false;
    }

    private void sort() {
        int n = bytes.length;
        for (int i = 0; i < n; i++) order[i] = (long) ((late[i] + 1000) * 1e9) << 22 | i;
        Arrays.sort(order);
        work += 16L * n;
    }

    /** One round; the bytes of those left out. */
    private long pile(long capacity) {
        for (int t = 0; t < load.length; t++) {
            spare[t] = capacity - load[t];
            bottom[t] = 0;
            top[t] = capacity;
        }
        Arrays.fill(offset, capacity);
        between = 0;
        long out = 0;
        for (long next : order) {
            int i = (int) (next & 0x3fffff);
            if (bytes[i] == 0) offset[i] = 0;
            else if (!pile(i) && !squeezeIn(i, capacity)) out += bytes[i];
        }
        return out;
    }

    /** On the lower pile or under the upper one, unless that takes more room than there is. */
    private boolean pile(int i) {
        int f = from[i];
        int t = to[i];
        long low = 0;
        long ceiling = Long.MAX_VALUE;
        for (int m = f; m < t; m++) {
            low = Math.max(low, bottom[m]);
            ceiling = Math.min(ceiling, top[m]);
        }
        work += 3L * (t - f);
        long high = ceiling - bytes[i];
        if (low > high) return false;
        double below = 0;
        double above = 0;
        for (int m = f; m < t; m++) {
            below += share(low - bottom[m], spare[m]);
            above += share(top[m] - ceiling, spare[m]);
        }
        if (!isFree(i, low)) below = Double.POSITIVE_INFINITY;
        if (!isFree(i, high)) above = Double.POSITIVE_INFINITY;
        if (below == Double.POSITIVE_INFINITY && above == Double.POSITIVE_INFINITY) return false;
        boolean down = below <= above;
        offset[i] = down ? low : high;
        for (int m = f; m < t; m++) {
            if (down) {
                spare[m] -= low - bottom[m];
                bottom[m] = low + bytes[i];
            } else {
                spare[m] -= top[m] - ceiling;
                top[m] = high;
            }
        }
        return true;
    }

    /** Whether {@code i} at this offset would be clear of all that lie between the piles. */
    private boolean isFree(int i, long at) {
        for (int k = 0; k < between; k++) {
            int j = loose[k];
            if (from[j] < to[i]
                    && from[i] < to[j]
                    && offset[j] < at + bytes[i]
                    && at < offset[j] + bytes[j]) return false;
        }
        work += between;
        return true;
    }

    private static double share(long lost, long spare) {
        if (lost == 0) return 0;
        return lost > spare ? Double.POSITIVE_INFINITY : (double) lost / spare;
    }

    /**
     * The tightest gap between those that live beside {@code i}, if there is one: at its upper or its
     * lower end, where more rests against it.
     */
    private boolean squeezeIn(int i, long capacity) {
        int count = 0;
        for (int j = 0; j < bytes.length; j++) {
            if (from[j] < to[i] && from[i] < to[j] && offset[j] < capacity && bytes[j] > 0)
                near[count++] = offset[j] << 22 | j;
        }
        Arrays.sort(near, 0, count);
        work += bytes.length + 8L * count;
        long at = 0;
        long tightest = Long.MAX_VALUE;
        long where = 0;
        for (int k = 0; k <= count; k++) {
            long next = k < count ? near[k] >> 22 : capacity;
            long gap = next - at - bytes[i];
            if (gap >= 0 && gap < tightest) {
                tightest = gap;
                where = at;
            }
            if (k < count) at = Math.max(at, next + bytes[(int) (near[k] & 0x3fffff)]);
        }
        if (tightest == Long.MAX_VALUE) return false;
        long high = where + tightest;
        boolean down = where == 0 || high + bytes[i] < capacity && rests(i, where, high, count);
        offset[i] = down ? where : high;
        loose[between++] = i;
        return true;
    }

    /** Whether more of the time somebody ends at {@code low} than begins above {@code high}. */
    private boolean rests(int i, long low, long high, int count) {
        double touching = 0;
        for (int k = 0; k < count; k++) {
            int j = (int) (near[k] & 0x3fffff);
            int time = Math.min(to[i], to[j]) - Math.max(from[i], from[j]);
            if (offset[j] + bytes[j] == low) touching += time;
            if (offset[j] == high + bytes[i]) touching -= time;
        }
        return touching >= 0;
    }

    long work() {
        return work;
    }
}
