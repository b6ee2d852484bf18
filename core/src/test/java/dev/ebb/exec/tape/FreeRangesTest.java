package dev.ebb.exec.tape;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Random;

class FreeRangesTest {
    private static final int SIZE = 200;

    /** The same by looking at every byte: the smallest free part that will do, the lowest first. */
    private static int lookFor(BitSet free, int bytes) {
        int best = -1;
        int least = Integer.MAX_VALUE;
        for (int start = free.nextSetBit(0); start >= 0; ) {
            int end = free.nextClearBit(start);
            if (end - start >= bytes && end - start < least) {
                least = end - start;
                best = start;
            }
            start = free.nextSetBit(end);
        }
        return best;
    }

    @Test
    void whatIsTakenIsTheSmallestPartThatWillDo() {
        record Taken(int start, int bytes) {}
        var random = new Random(3);
        for (int game = 0; game < 300; game++) {
            var ranges = new FreeRanges();
            var free = new BitSet();
            ranges.give(0, SIZE);
            free.set(0, SIZE);
            var taken = new ArrayList<Taken>();
            for (int move = 0; move < 200; move++) {
                if (random.nextInt(5) < 3 || taken.isEmpty()) {
                    int bytes = 1 + random.nextInt(12);
                    int expected = lookFor(free, bytes);
                    var found = ranges.take(bytes);
                    assertThat(found.orElse(-1)).isEqualTo(expected);
                    if (expected < 0) continue;
                    free.clear(expected, expected + bytes);
                    taken.add(new Taken(expected, bytes));
                } else {
                    var back = taken.remove(random.nextInt(taken.size()));
                    ranges.give(back.start, back.bytes);
                    free.set(back.start, back.start + back.bytes);
                }
                assertThat(ranges.free()).isEqualTo(free.cardinality());
            }
        }
    }
}
