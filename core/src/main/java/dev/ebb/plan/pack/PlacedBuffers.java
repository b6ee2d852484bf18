package dev.ebb.plan.pack;

/**
 * The buffers that have an offset, lowest first. Lifetimes and offsets are stored in that order
 * too, so that a scan for the buffers alive at some time reads memory in order.
 */
final class PlacedBuffers {
    private final int[] from;
    private final int[] to;
    private final long[] offset;

    private final int[] list;
    private final int[] starts;
    private final int[] stops;
    private final long[] lows;
    private int size;

    /**
     * No buffer is placed yet. {@code offset} is shared with the caller, who sets a buffer's offset
     * before adding it and leaves it unchanged until removing it.
     */
    PlacedBuffers(int[] from, int[] to, long[] offset) {
        this.from = from;
        this.to = to;
        this.offset = offset;
        list = new int[offset.length];
        starts = new int[offset.length];
        stops = new int[offset.length];
        lows = new long[offset.length];
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }

    /**
     * Writes into {@code found} the placed buffers whose lifetimes overlap that of {@code i},
     * lowest offset first, and returns their number.
     */
    int beside(int i, int[] found) {
        int count = 0;
        int f = from[i];
        int t = to[i];
        for (int k = 0; k < size; k++) {
            if (starts[k] < t && f < stops[k]) found[count++] = list[k];
        }
        return count;
    }

    /** Adds buffer {@code i} at its offset. */
    void add(int i) {
        int k = after(offset[i]);
        shift(k, k + 1, size - k);
        size++;
        list[k] = i;
        starts[k] = from[i];
        stops[k] = to[i];
        lows[k] = offset[i];
    }

    /** Removes buffer {@code i}, whose offset is still that at which it was added. */
    void remove(int i) {
        int k = after(offset[i]) - 1;
        while (list[k] != i) k--;
        size--;
        shift(k + 1, k, size - k);
    }

    /** The number of placed buffers that start at this offset or below. */
    private int after(long at) {
        int low = 0;
        int high = size;
        while (low < high) {
            int mid = (low + high) >>> 1;
            if (lows[mid] <= at) low = mid + 1;
            else high = mid;
        }
        return low;
    }

    private void shift(int source, int target, int count) {
        System.arraycopy(list, source, list, target, count);
        System.arraycopy(starts, source, starts, target, count);
        System.arraycopy(stops, source, stops, target, count);
        System.arraycopy(lows, source, lows, target, count);
    }
}
