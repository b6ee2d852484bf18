package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

class ChainOptimumTest {

    @Test
    void equalsBruteForce() {
        var random = new Random(7);
        int solved = 0;
        for (int trial = 0; trial < 24; trial++) {
            int n = 1 + trial % 8;
            var stages = new ArrayList<Chain.Stage>();
            for (int k = 0; k < n; k++) {
                int out = 1 + random.nextInt(5);
                stages.add(
                        new Chain.Stage(
                                1 + random.nextInt(9),
                                1 + random.nextInt(9),
                                out,
                                out + random.nextInt(6),
                                random.nextInt(2),
                                random.nextInt(2)));
            }
            var chain = new Chain(1 + random.nextInt(4), stages);
            for (int bytes = 4; bytes <= 44; bytes += 5) {
                var optimum = new ChainOptimum(chain, bytes, 1);
                assertThat(optimum.cost())
                        .as("%s in %s", chain, bytes)
                        .isEqualTo(new BruteForce(chain, bytes).cost());
                if (optimum.cost() < Double.POSITIVE_INFINITY) {
                    var footprint = optimum.schedule().footprint();
                    assertThat(footprint.cost()).isEqualTo(optimum.cost());
                    assertThat(footprint.peakBytes()).isLessThanOrEqualTo(bytes);
                    solved++;
                }
            }
        }
        assertThat(solved).isGreaterThan(80);
    }

    @Test
    void roundingToUnitsStillFits() {
        var stages = new ArrayList<Chain.Stage>();
        for (int k = 0; k < 40; k++)
            stages.add(new Chain.Stage(k % 5 + 1, 2, 1000 + 37 * k, 3000 + 11 * k, 10, 20));
        var chain = new Chain(1000, stages);
        double last = Double.POSITIVE_INFINITY;
        for (long bytes = 20_000; bytes <= 200_000; bytes += 20_000) {
            var footprint = new ChainOptimum(chain, bytes, bytes / 500).schedule().footprint();
            assertThat(footprint.peakBytes()).isLessThanOrEqualTo(bytes);
            assertThat(footprint.cost()).isLessThanOrEqualTo(last);
            last = footprint.cost();
        }
        assertThat(last).isEqualTo(new ChainOptimum(chain, 1_000_000, 1000).cost());
    }

    /**
     * Dijkstra over everything that may be held: any action at any time, except that what is saved,
     * and the state a tape belongs to, stay until their backward step. Knows nothing of stretches
     * or recursion.
     */
    private record BruteForce(Chain chain, long bytes) {

        private record State(int saved, int taped, int loose, int next) {}

        private record Entry(double cost, int serial, State state) {}

        double cost() {
            var queue =
                    new PriorityQueue<Entry>(
                            (a, b) ->
                                    a.cost != b.cost
                                            ? Double.compare(a.cost, b.cost)
                                            : Integer.compare(a.serial, b.serial));
            Map<State, Double> known = new HashMap<>();
            var start = new State(1, 0, -1, chain.length() - 1);
            if (held(start) > bytes) return Double.POSITIVE_INFINITY;
            queue.add(new Entry(0, 0, start));
            int serial = 0;
            while (!queue.isEmpty()) {
                var entry = queue.poll();
                if (known.putIfAbsent(entry.state, entry.cost) != null) continue;
                if (entry.state.next < 0) return entry.cost;
                for (Entry e : moves(entry)) queue.add(new Entry(e.cost, ++serial, e.state));
            }
            return Double.POSITIVE_INFINITY;
        }

        private long held(State s) {
            long sum = chain.stateBytes(s.next + 1);
            for (int k = 0; k < chain.length(); k++) {
                if ((s.saved >> k & 1) == 1) sum += chain.stateBytes(k);
                if ((s.taped >> k & 1) == 1) sum += chain.stages().get(k).tapeBytes();
            }
            return s.loose < 0 ? sum : sum + chain.stateBytes(s.loose);
        }

        private boolean has(State s, int k) {
            return s.loose == k
                    || (s.saved >> k & 1) == 1
                    || (k > 0 && (s.taped >> (k - 1) & 1) == 1);
        }

        private List<Entry> moves(Entry entry) {
            var s = entry.state;
            var out = new ArrayList<Entry>();
            boolean bound =
                    s.loose >= 0 && s.loose < chain.length() && (s.taped >> s.loose & 1) == 1;
            if (s.loose >= 0 && !bound)
                out.add(new Entry(entry.cost, 0, new State(s.saved, s.taped, -1, s.next)));
            if (s.loose >= 0 && s.loose <= s.next) {
                out.add(
                        new Entry(
                                entry.cost,
                                0,
                                new State(s.saved | 1 << s.loose, s.taped, -1, s.next)));
            }
            for (int k = 0; k <= s.next; k++) {
                if (!has(s, k) || bound) continue;
                var stage = chain.stages().get(k);
                var from = s.loose == k ? s : new State(s.saved, s.taped, -1, s.next);
                double cost = entry.cost + stage.forward();
                if (held(from) + stage.outputBytes() + stage.forwardWorkspace() <= bytes) {
                    out.add(new Entry(cost, 0, new State(s.saved, s.taped, k + 1, s.next)));
                }
                if ((s.taped >> k & 1) == 0
                        && held(from) + stage.tapeBytes() + stage.forwardWorkspace() <= bytes) {
                    out.add(
                            new Entry(
                                    cost,
                                    0,
                                    new State(s.saved, s.taped | 1 << k, from.loose, s.next)));
                }
            }
            int k = s.next;
            var stage = chain.stages().get(k);
            if ((s.taped >> k & 1) == 1 && has(s, k) && (!bound || s.loose == k)) {
                var kept = new State(s.saved, s.taped, s.loose == k ? k : -1, s.next);
                if (held(kept) + chain.stateBytes(k) + stage.backwardWorkspace() <= bytes) {
                    int saved = k > 0 ? s.saved & ~(1 << k) : s.saved;
                    out.add(
                            new Entry(
                                    entry.cost + stage.backward(),
                                    0,
                                    new State(saved, s.taped & ~(1 << k), -1, k - 1)));
                }
            }
            return out;
        }
    }
}
