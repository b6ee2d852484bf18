package dev.ebb.plan.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.reference.ProcessorTime;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class OnlineCheckpointsTest {
    private static final int LONGEST = 5_000;

    /**
     * The worst ratio of forward steps to those of the best set for a known length: where it is
     * promised, and up to {@link #LONGEST} steps, where it is only told.
     */
    @ParameterizedTest
    @CsvSource({"2, 1.112", "3, 1.063", "5, 1.041", "10, 1.032", "20, 1.020"})
    void isNearTheBestThatKnewTheLength(int slots, double beyond) {
        var best = best(slots);
        int promised = (slots + 1) * (slots + 2) / 2;
        double worst = 1;
        double worstBeyond = 1;
        var online = new OnlineCheckpoints(slots);
        for (int n = 1; n <= LONGEST; n++) {
            online.offer(n - 1);
            double ratio =
                    (double) (n + OnlineReversal.forwards(online.kept(), n, slots))
                            / (n + best[slots][n]);
            assertThat(ratio).isGreaterThanOrEqualTo(1);
            if (n <= promised) worst = Math.max(worst, ratio);
            worstBeyond = Math.max(worstBeyond, ratio);
        }
        assertThat(worst).isLessThanOrEqualTo(Math.min(beyond, 1.15));
        assertThat(worstBeyond).isLessThanOrEqualTo(beyond);
    }

    /** For up to {@code slots} states and every length, what reversing takes from the best set. */
    private static long[][] best(int slots) {
        // best[s][n]: the first stretch is reversed with s slots, the rest with one less
        var best = new long[slots + 1][LONGEST + 1];
        for (int s = 1; s <= slots; s++) {
            int first = 1;
            for (int n = 1; n <= LONGEST; n++) {
                best[s][n] = Revolve.forwards(n, s);
                if (s == 1) continue;
                // the best first stretch grows with the length
                while (first < n && cost(best, s, n, first + 1) <= cost(best, s, n, first)) first++;
                first = Math.min(first, n);
                if (first < n) best[s][n] = Math.min(best[s][n], cost(best, s, n, first));
            }
        }
        return best;
    }

    @Test
    void theComparisonIsWithTheBest() {
        var best = best(20);
        for (int s = 2; s <= 20; s++) {
            for (int n = 1; n <= (s + 1) * (s + 2) / 2; n++) {
                long least = Revolve.forwards(n, s);
                for (int first = 1; first < n; first++) {
                    least = Math.min(least, cost(best, s, n, first));
                }
                assertThat(best[s][n]).isEqualTo(least);
            }
        }
    }

    private static long cost(long[][] best, int slots, int n, int first) {
        return Revolve.forwards(first, slots) + best[slots - 1][n - first];
    }

    /** The incremental rule chooses as looking at every set does. */
    @Test
    void choosesAsIfItLookedAtEverySet() {
        for (int slots : new int[] {2, 3, 4, 7, 12}) {
            var online = new OnlineCheckpoints(slots);
            List<Integer> kept = new ArrayList<>(List.of(0));
            for (int next = 1; next < 400; next++) {
                online.offer(next);
                kept = plainly(kept, next, slots);
                assertThat(online.kept()).as("%s slots, iteration %s", slots, next).isEqualTo(kept);
            }
        }
    }

    private static List<Integer> plainly(List<Integer> kept, int next, int slots) {
        var more = new ArrayList<>(kept);
        more.add(next);
        if (more.size() <= slots) return more;
        var best = kept;
        for (int j = 1; j < kept.size(); j++) {
            var without = new ArrayList<>(more);
            without.remove(/* index= */ j);
            if (OnlineReversal.forwards(without, next + 1, slots)
                    < OnlineReversal.forwards(best, next + 1, slots)) {
                best = without;
            }
        }
        return best;
    }

    @Test
    void aStateIsWhereItsSlotSaysItIs() {
        var random = new Random(5);
        for (int slots = 1; slots < 20; slots++) {
            var online = new OnlineCheckpoints(slots);
            var memory = new int[slots];
            int length = 1 + random.nextInt(1000);
            for (int t = 0; t < length; t++) {
                int slot = online.offer(t);
                if (slot >= 0) memory[slot] = t;
            }
            for (int i = 0; i < online.kept().size(); i++) {
                assertThat(memory[online.places().get(i)]).isEqualTo(online.kept().get(i));
            }
        }
    }

    @Test
    void millionsOfRoundsCostLittle() {
        var online = new OnlineCheckpoints(64);
        double seconds =
                ProcessorTime.seconds(
                        () -> {
                            for (int t = 0; t < 2_000_000; t++) online.offer(t);
                        });
        assertThat(seconds).isLessThan(20);
        assertThat(online.kept()).hasSize(64);
    }
}
