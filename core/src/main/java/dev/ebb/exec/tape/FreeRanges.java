package dev.ebb.exec.tape;

import java.util.Comparator;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The free parts of a stretch of memory. Asked for room it gives the smallest part that is large
 * enough, at the lowest address; given room back it joins neighbours.
 */
final class FreeRanges {
    private record Range(long start, long bytes) {}

    private final TreeMap<Long, Long> byStart = new TreeMap<>();
    private final TreeSet<Range> bySize =
            new TreeSet<>(Comparator.comparingLong(Range::bytes).thenComparingLong(Range::start));
    private long free;

    /** Bytes free in all, in one part or in many. */
    long free() {
        return free;
    }

    /** The start of {@code bytes} that are free no more; empty if no part is large enough. */
    OptionalLong take(long bytes) {
        if (bytes == 0) return OptionalLong.of(0);
        var best = bySize.ceiling(new Range(0, bytes));
        if (best == null) return OptionalLong.empty();
        remove(best);
        if (best.bytes > bytes) add(new Range(best.start + bytes, best.bytes - bytes));
        return OptionalLong.of(best.start);
    }

    void give(long start, long bytes) {
        if (bytes == 0) return;
        var joined = new Range(start, bytes);
        var before = byStart.floorEntry(start);
        if (before != null && before.getKey() + before.getValue() == start) {
            var range = new Range(before.getKey(), before.getValue());
            remove(range);
            joined = new Range(range.start, range.bytes + joined.bytes);
        }
        var after = byStart.get(joined.start + joined.bytes);
        if (after != null) {
            remove(new Range(joined.start + joined.bytes, after));
            joined = new Range(joined.start, joined.bytes + after);
        }
        add(joined);
    }

    private void add(Range range) {
        byStart.put(range.start, range.bytes);
        bySize.add(range);
        free += range.bytes;
    }

    private void remove(Range range) {
        byStart.remove(range.start);
        bySize.remove(range);
        free -= range.bytes;
    }
}
