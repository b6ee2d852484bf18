package dev.ebb.plan.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.IterationCosts;
import dev.ebb.reference.ShortestWay;

import org.junit.jupiter.api.Test;

class EvenSplitsTest {

    /** Iterations run ahead when all are reversed as {@code splits} says. */
    private static long ahead(CheckpointSplits splits, int iterations) {
        return splits.forwards(iterations) - iterations;
    }

    @Test
    void withOneTapeItIsRevolve() {
        for (int n = 1; n <= 120; n++) {
            for (int slots = 1; slots <= 12; slots++) {
                var splits =
                        CheckpointSplits.of(
                                IterationCosts.EVEN, CheckpointArea.slots(slots, 3, 7), n);
                assertThat(n + ahead(splits, n))
                        .as("%s iterations, %s slots", n, slots)
                        .isEqualTo(Revolve.forwards(n, slots));
            }
        }
    }

    /**
     * What is saved and taped (a bit for each iteration), where it stands, what is to be reversed;
     * as one number, at most eight iterations.
     */
    private record State(int saved, int taped, int at, int left) {
        static State of(int number) {
            return new State(number >> 16, number >> 8 & 0xff, number >> 4 & 0xf, number & 0xf);
        }

        int number() {
            return saved << 16 | taped << 8 | at << 4 | left;
        }
    }

    /** The fewest iterations run ahead over all ways to save, tape, restore, drop and reverse. */
    private static int searched(int n, CheckpointArea area) {
        return ShortestWay.length(
                        new State(1, 0, 0, n).number(),
                        number -> State.of(number).left == 0,
                        (number, way) -> next(State.of(number), n, area, way))
                - n;
    }

    private static boolean fits(int saved, int taped, CheckpointArea area) {
        return (Integer.bitCount(saved) - 1) * area.state() + Integer.bitCount(taped) * area.tape()
                <= area.bytes();
    }

    private static void next(State p, int n, CheckpointArea area, ShortestWay.Way way) {
        if ((p.taped >> (p.left - 1) & 1) == 1) {
            int rest = p.taped & ~(1 << p.left - 1);
            way.to(new State(p.saved, rest, p.at, p.left - 1).number(), 0);
            return;
        }
        if (p.at < p.left) {
            way.to(new State(p.saved, p.taped, p.at + 1, p.left).number(), 1);
            int more = p.taped | 1 << p.at;
            if (more != p.taped && fits(p.saved, more, area))
                way.to(new State(p.saved, more, p.at + 1, p.left).number(), 1);
            int state = p.saved | 1 << p.at;
            if (state != p.saved && fits(state, p.taped, area))
                way.to(new State(state, p.taped, p.at, p.left).number(), 0);
        }
        for (int i = 0; i < n; i++) {
            if ((p.saved >> i & 1) == 0) continue;
            way.to(new State(p.saved, p.taped, i, p.left).number(), 0);
            if (i > 0) way.to(new State(p.saved & ~(1 << i), p.taped, p.at, p.left).number(), 0);
        }
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
                        var area = new CheckpointArea(bytes, state, tape, Integer.MAX_VALUE);
                        long here = ahead(CheckpointSplits.of(IterationCosts.EVEN, area, n), n);
                        int best = searched(n, area);
                        found += here;
                        least += best;
                        assertThat(here).as("%s in %s", n, area).isBetween((long) best, best + 1L);
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
                    var area = new CheckpointArea(bytes, state, tape, Integer.MAX_VALUE);
                    int most = area.levels() <= 60 ? 1200 : 300;
                    var least = table(most, area);
                    for (int n : new int[] {90, 300, most}) {
                        double ratio =
                                new EvenSplits(area, n).forwards(n) / (double) (n + least[n]);
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

    /** For every number of iterations the fewest that are run ahead; all splits are tried. */
    private static int[] table(int most, CheckpointArea area) {
        int levels = Math.min(area.levels(), most);
        // the last first, so that both factors of a split are read in the same direction
        var after = new int[most + 1];
        for (int k = levels; k >= 0; k--) {
            var here = new int[most + 1];
            var split = new int[most + 1];
            int taped = area.capacity(k);
            for (int n = 1; n <= most; n++) {
                if (n > taped) {
                    here[n] = n - taped + here[n - taped];
                    if (k < levels) here[n] = Math.min(here[n], least(split, after, most - n, n));
                }
                split[n] = n + here[n];
            }
            for (int n = 0; n <= most; n++) after[most - n] = here[n];
        }
        var forward = new int[most + 1];
        for (int n = 0; n <= most; n++) forward[n] = after[most - n];
        return forward;
    }

    /** The least sum of {@code a[j]} and {@code b[from + j]} for j in {@code [1, to)}. */
    private static int least(int[] a, int[] b, int from, int to) {
        int least = Integer.MAX_VALUE;
        for (int j = 1; j < to; j++) least = Math.min(least, a[j] + b[from + j]);
        return least;
    }
}
