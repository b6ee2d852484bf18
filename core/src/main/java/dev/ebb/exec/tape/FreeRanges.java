package dev.ebb.exec.tape;

import java.util.Comparator;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The free ranges of a stretch of memory. An allocation takes the smallest range that is large
 * enough, at the lowest address; a freed range is merged with its neighbours. The range at the
 * highest address, often the only one, is stored separately.
 */
final class FreeRanges {
    private record Range(long start, long bytes) {}

    private final TreeMap<Long, Long> byStart = new TreeMap<>();
    private final TreeSet<Range> bySize =
            new TreeSet<>(Comparator.comparingLong(Range::bytes).thenComparingLong(Range::start));

    /** The last part; none if it has no bytes, and then there are no others. */
    private long lastStart;

    private long lastBytes;
    private long free;

    /** The bytes of all free ranges together. */
    long free() {
        return free;
    }

    /** Allocates {@code bytes} and returns their start; empty if no free range is large enough. */
    OptionalLong take(long bytes) {
        if (bytes == 0) return OptionalLong.of(0);
        var best = bySize.isEmpty() ? null : bySize.ceiling(new Range(0, bytes));
        if (lastBytes >= bytes && (best == null || lastBytes < best.bytes)) {
            long start = lastStart;
            lastStart += bytes;
            lastBytes -= bytes;
            free -= bytes;
            if (lastBytes == 0) nextLast();
            return OptionalLong.of(start);
        }
        if (best == null) return OptionalLong.empty();
        remove(best);
        if (best.bytes > bytes) add(new Range(best.start + bytes, best.bytes - bytes));
        free -= bytes;
        return OptionalLong.of(best.start);
    }

    /** The last part is used up: the one before it is the last. */
    private void nextLast() {
        var before = byStart.lastEntry();
        if (before == null) return;
        lastStart = before.getKey();
        lastBytes = before.getValue();
        remove(new Range(lastStart, lastBytes));
    }

    void give(long start, long bytes) {
        if (bytes == 0) return;
        free += bytes;
        long from = start;
        long end = start + bytes;
        var before = byStart.floorEntry(start);
        if (before != null && before.getKey() + before.getValue() == start) {
            from = before.getKey();
            remove(new Range(from, before.getValue()));
        }
        if (lastBytes == 0) {
            lastStart = from;
            lastBytes = end - from;
        } else if (end == lastStart) {
            lastBytes += end - from;
            lastStart = from;
        } else if (lastStart + lastBytes == from) {
            lastBytes += end - from;
        } else if (from > lastStart) {
            add(new Range(lastStart, lastBytes));
            lastStart = from;
            lastBytes = end - from;
        } else {
            var after = byStart.get(end);
            if (after != null) {
                remove(new Range(end, after));
                end += after;
            }
            add(new Range(from, end - from));
        }
    }

    private void add(Range range) {
        byStart.put(range.start, range.bytes);
        bySize.add(range);
    }

    private void remove(Range range) {
        byStart.remove(range.start);
        bySize.remove(range);
    }
}
