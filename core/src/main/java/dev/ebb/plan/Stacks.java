package dev.ebb.plan;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where those that live long go so that the room between them is always in one piece. What is there
 * from the start hangs from the top, the last to go uppermost: weights, which a backward pass lets
 * go of one by one. What comes later and outlives all of these, or stays for more than half of the
 * time, is stacked from the bottom as it comes: gradients. So the room only slides upwards, where
 * gradients in the places of weights that happen to have gone would cut it to pieces.
 */
final class Stacks {
    private Stacks() {}

    /** An offset for each in a stack; all others are at {@code capacity}, outside. */
    static long[] of(int[] from, int[] to, long[] bytes, long capacity) {
        int n = bytes.length;
        var offsets = new long[n];
        int start = IntStream.of(from).min().orElse(0);
        int gone = start;
        long top = capacity;
        var going = sorted(n, Comparator.comparingInt(i -> -to[i]));
        for (int i : going) {
            offsets[i] = capacity;
            if (from[i] > start) continue;
            top -= bytes[i];
            offsets[i] = top;
            gone = Math.max(gone, to[i]);
        }
        int half = (gone - start) / 2;
        long bottom = 0;
        int next = n - 1;
        for (int i : sorted(n, Comparator.comparingInt(i -> from[i]))) {
            for (; next >= 0 && to[going.get(next)] <= from[i]; next--) {
                int left = going.get(next);
                if (from[left] == start && offsets[left] == top) top += bytes[left];
            }
            boolean lasting = to[i] >= gone || to[i] - from[i] > half;
            if (from[i] == start || !lasting || bottom + bytes[i] > top) continue;
            offsets[i] = bottom;
            bottom += bytes[i];
        }
        return offsets;
    }

    private static List<Integer> sorted(int n, Comparator<Integer> by) {
        return IntStream.range(0, n)
                .boxed()
                .sorted(by.thenComparing(Comparator.<Integer>naturalOrder()))
                .toList();
    }
}
