package dev.ebb.plan.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.LoopMemory;
import dev.ebb.ir.Pace;

import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

class EvenSplitsTest {

    /** Rounds run ahead when all are reversed as {@code splits} says. */
    private static long ahead(CheckpointSplits splits, int rounds) {
        return splits.forwards(rounds) - rounds;
    }

    @Test
    void withOneTapeItIsRevolve() {
        for (int n = 1; n <= 120; n++) {
            for (int slots = 1; slots <= 12; slots++) {
                var splits = CheckpointSplits.of(Pace.EVEN, LoopMemory.slots(slots, 3, 7), n);
                assertThat(n + ahead(splits, n))
                        .as("%s rounds, %s slots", n, slots)
                        .isEqualTo(Revolve.forwards(n, slots));
            }
        }
    }

    /** What is saved and taped (a bit for each round), where it stands, what is to be reversed. */
    private record Place(int saved, int taped, int at, int left) {}

    private record Reached(Place place, int work) {}

    /** The fewest rounds run ahead over all ways to save, tape, restore, drop and reverse. */
    private static int searched(int n, LoopMemory room) {
        var best = new HashMap<Place, Integer>();
        var open = new PriorityQueue<>(Comparator.comparingInt(Reached::work));
        open.add(new Reached(new Place(1, 0, 0, n), 0));
        while (true) {
            var here = open.remove();
            var p = here.place;
            if (p.left == 0) return here.work - n;
            if (best.putIfAbsent(p, here.work) != null) continue;
            for (var next : next(p, n, room).entrySet()) {
                if (!best.containsKey(next.getKey()))
                    open.add(new Reached(next.getKey(), here.work + next.getValue()));
            }
        }
    }

    private static boolean fits(int saved, int taped, LoopMemory room) {
        return (Integer.bitCount(saved) - 1) * room.state() + Integer.bitCount(taped) * room.tape()
                <= room.bytes();
    }

    private static Map<Place, Integer> next(Place p, int n, LoopMemory room) {
        var next = new HashMap<Place, Integer>();
        if ((p.taped >> (p.left - 1) & 1) == 1)
            return Map.of(new Place(p.saved, p.taped & ~(1 << p.left - 1), p.at, p.left - 1), 0);
        if (p.at < p.left) {
            next.put(new Place(p.saved, p.taped, p.at + 1, p.left), 1);
            int more = p.taped | 1 << p.at;
            if (more != p.taped && fits(p.saved, more, room))
                next.put(new Place(p.saved, more, p.at + 1, p.left), 1);
            int state = p.saved | 1 << p.at;
            if (state != p.saved && fits(state, p.taped, room))
                next.put(new Place(state, p.taped, p.at, p.left), 0);
        }
        for (int i = 0; i < n; i++) {
            if ((p.saved >> i & 1) == 0) continue;
            next.put(new Place(p.saved, p.taped, i, p.left), 0);
            if (i > 0) next.put(new Place(p.saved & ~(1 << i), p.taped, p.at, p.left), 0);
        }
        return next;
    }

    /** Against every schedule there is. */
    @Test
    void shortLoopsAreReversedAboutAsWellAsCanBe() {
        long found = 0;
        long least = 0;
        for (int state : new int[] {1, 2, 3}) {
            for (int tape : new int[] {1, 2, 3, 5}) {
                for (int n = 2; n <= 6; n++) {
                    for (int bytes = tape; bytes < n * tape; bytes++) {
                        var room = new LoopMemory(bytes, state, tape, Integer.MAX_VALUE);
                        long here = ahead(CheckpointSplits.of(Pace.EVEN, room, n), n);
                        int best = searched(n, room);
                        found += here;
                        least += best;
                        assertThat(here).as("%s in %s", n, room).isBetween((long) best, best + 1L);
                    }
                }
            }
        }
        assertThat(found).isLessThan(least * 101 / 100);
    }

    /** Against a table of all splits, longer than the one that short stretches are looked up in. */
    @Test
    void longLoopsAreReversedAboutAsWellAsATableHasIt() {
        double worst = 1;
        double sum = 0;
        int count = 0;
        for (int state : new int[] {1, 3}) {
            for (int tape : new int[] {1, 2, 11}) {
                for (int bytes = tape; bytes < 1200 * tape; bytes += 1 + bytes / 2) {
                    var room = new LoopMemory(bytes, state, tape, Integer.MAX_VALUE);
                    int most = room.levels() <= 60 ? 1200 : 300;
                    var least = table(most, room);
                    for (int n : new int[] {90, 300, most}) {
                        double ratio =
                                new EvenSplits(room, n).forwards(n) / (double) (n + least[n]);
                        assertThat(ratio).isGreaterThanOrEqualTo(1);
                        worst = Math.max(worst, ratio);
                        sum += ratio;
                        count++;
                    }
                }
            }
        }
        assertThat(worst).isLessThan(1.03);
        assertThat(sum / count).isLessThan(1.01);
    }

    private static long[] table(int most, LoopMemory room) {
        int levels = Math.min(room.levels(), most);
        var after = new long[most + 1];
        for (int k = levels; k >= 0; k--) {
            var here = new long[most + 1];
            int taped = room.capacity(k);
            for (int n = taped + 1; n <= most; n++) {
                here[n] = n - taped + here[n - taped];
                for (int j = 1; k < levels && j < n; j++)
                    here[n] = Math.min(here[n], j + after[n - j] + here[j]);
            }
            after = here;
        }
        return after;
    }
}
