package dev.ebb.cuda;

import dev.ebb.ir.Buffer;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which works of a recorded run must wait for which others, by the memory that they read and write:
 * a reader waits for the last writer of each byte, a writer for the last writer and for all readers
 * since. Works that do not wait for each other may run at the same time.
 */
final class MemoryOrder {
    /** Memory from an address to before another. */
    record Span(long from, long to) {
        static Span of(long address, long bytes) {
            return new Span(address, address + bytes);
        }

        static Span of(Buffer buffer) {
            return of(buffer.memory().address(), buffer.bytes());
        }

        boolean isEmpty() {
            return to <= from;
        }
    }

    /** The end of a stretch of memory, its last writer, -1 for none, and the readers since. */
    private record Stretch(long to, int writer, List<Integer> readers) {}

    private final TreeMap<Long, Stretch> stretches = new TreeMap<>();

    /** For each work, all that have run before it begins. */
    private final List<BitSet> before = new ArrayList<>();

    /**
     * Adds a work and returns the numbers of those it must wait for, without those that one of them
     * waits for itself. Works are numbered in the order in which they are added.
     */
    List<Integer> add(List<Span> reads, List<Span> writes) {
        int number = before.size();
        var needed = new BitSet();
        for (var span : reads) {
            if (span.isEmpty()) continue;
            for (var stretch : within(span).values()) {
                if (stretch.writer >= 0) needed.set(stretch.writer);
                stretch.readers.add(number);
            }
        }
        for (var span : writes) {
            if (span.isEmpty()) continue;
            var old = within(span);
            for (var stretch : old.values()) {
                if (stretch.writer >= 0) needed.set(stretch.writer);
                stretch.readers.forEach(needed::set);
            }
            old.clear();
            stretches.put(span.from, new Stretch(span.to, number, new ArrayList<>()));
        }
        needed.clear(number);
        var all = new BitSet();
        var direct = new ArrayList<Integer>();
        for (int i = needed.length() - 1; i >= 0; i = needed.previousSetBit(i - 1)) {
            if (all.get(i)) continue;
            direct.add(i);
            all.or(before.get(i));
            all.set(i);
        }
        before.add(all);
        return direct;
    }

    /** The stretches of {@code span}, which together are all of it and nothing else. */
    private Map<Long, Stretch> within(Span span) {
        cut(span.from);
        cut(span.to);
        var gaps = new ArrayList<Span>();
        long at = span.from;
        for (var entry : stretches.subMap(span.from, span.to).entrySet()) {
            if (entry.getKey() > at) gaps.add(new Span(at, entry.getKey()));
            at = entry.getValue().to;
        }
        if (at < span.to) gaps.add(new Span(at, span.to));
        for (var gap : gaps) stretches.put(gap.from, new Stretch(gap.to, -1, new ArrayList<>()));
        return stretches.subMap(span.from, span.to);
    }

    /** Makes two stretches of one that {@code address} lies inside. */
    private void cut(long address) {
        var entry = stretches.lowerEntry(address);
        if (entry == null || entry.getValue().to <= address) return;
        var whole = entry.getValue();
        stretches.put(
                entry.getKey(), new Stretch(address, whole.writer, new ArrayList<>(whole.readers)));
        stretches.put(address, new Stretch(whole.to, whole.writer, new ArrayList<>(whole.readers)));
    }
}
