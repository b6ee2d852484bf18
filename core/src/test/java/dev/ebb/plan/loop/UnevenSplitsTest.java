package dev.ebb.plan.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.IterationCosts;

import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

class UnevenSplitsTest {

    private static IterationCosts costs(int n, IntToDoubleFunction cost) {
        return new IterationCosts(IntStream.range(0, n).mapToObj(cost::applyAsDouble).toList());
    }

    /** Room for states of one byte, and for one tape, which counts for nothing. */
    private static CheckpointArea area(int slots) {
        return CheckpointArea.slots(slots, 1, 0);
    }

    private static UnevenSplits uneven(IterationCosts costs, int n, int slots) {
        return new UnevenSplits(costs, area(slots), n, new EvenSplits(area(slots), n));
    }

    /** What reversing costs in the unit of the pace, each iteration's own taped run included. */
    private static double work(CheckpointSplits splits, IterationCosts costs, int n, int slots) {
        double mean = costs.weights().stream().mapToDouble(w -> w).average().orElse(1);
        return (uneven(costs, n, slots).work(splits) + n) * mean;
    }

    private static CheckpointSplits best(IterationCosts costs, int n, int slots) {
        return CheckpointSplits.of(costs, area(slots), n);
    }

    /**
     * What is saved (a bit for each state), where the loop stands, what is still to be reversed.
     */
    private record Place(int saved, int at, int left) {}

    private record Reached(Place place, double work) {}

    /** The least work over all ways to save, restore, drop, advance and reverse. */
    private static double searched(List<Double> weights, int slots) {
        var best = new HashMap<Place, Double>();
        var open = new PriorityQueue<>(Comparator.comparingDouble(Reached::work));
        open.add(new Reached(new Place(1, 0, weights.size()), 0));
        while (true) {
            var here = open.remove();
            var p = here.place;
            if (p.left == 0) return here.work;
            if (best.containsKey(p)) continue;
            best.put(p, here.work);
            for (var next : next(p, weights, slots).entrySet()) {
                open.add(new Reached(next.getKey(), here.work + next.getValue()));
            }
        }
    }

    private static Map<Place, Double> next(Place p, List<Double> weights, int slots) {
        var next = new HashMap<Place, Double>();
        if (p.at < p.left) {
            next.put(new Place(p.saved, p.at + 1, p.left), weights.get(p.at));
            if (p.at == p.left - 1) {
                next.merge(new Place(p.saved, p.at, p.left - 1), weights.get(p.at), Math::min);
            }
        }
        for (int i = 0; i < weights.size(); i++) {
            if ((p.saved >> i & 1) == 0) continue;
            next.merge(new Place(p.saved, i, p.left), 0.0, Math::min);
            next.merge(new Place(p.saved & ~(1 << i), p.at, p.left), 0.0, Math::min);
        }
        if (Integer.bitCount(p.saved) < slots) {
            next.merge(new Place(p.saved | 1 << p.at, p.at, p.left), 0.0, Math::min);
        }
        return next;
    }

    @Test
    void shortLoopsAreReversedAsWellAsCanBe() {
        var random = new Random(3);
        for (int round = 0; round < 60; round++) {
            int n = 1 + random.nextInt(7);
            int slots = 1 + random.nextInt(4);
            var costs = costs(n, _ -> 1 + random.nextInt(20));
            double found = work(best(costs, n, slots), costs, n, slots);
            assertThat(found)
                    .as("%s with %s slots", costs.weights(), slots)
                    .isCloseTo(searched(costs.weights(), slots), within(1e-9));
        }
    }

    @Test
    void equalRoundsAreReversedAsRevolveDoes() {
        for (int n : new int[] {1, 2, 17, 90}) {
            for (int slots = 1; slots < 8; slots++) {
                var costs = costs(n, _ -> 1);
                assertThat(work(uneven(costs, n, slots), costs, n, slots))
                        .isCloseTo((double) Revolve.forwards(n, slots), within(1e-9));
            }
        }
    }

    @Test
    void longLoopsAreNeverReversedWorseThanEvenly() {
        for (int n : new int[] {50, 200, 1000, 20_000, 1_000_000}) {
            for (int slots : new int[] {2, 5, 20}) {
                var even = new EvenSplits(area(slots), n);
                var growing = IterationCosts.of(n, i -> 1 + i);
                assertThat(work(best(growing, n, slots), growing, n, slots))
                        .isLessThanOrEqualTo(work(even, growing, n, slots));
                // with one state more than the first, a million iterations need finer steps than
                // blocks
                if (n > 20_000 && slots == 2) continue;
                var steep = IterationCosts.of(n, i -> Math.exp(10.0 * i / n));
                assertThat(work(best(steep, n, slots), steep, n, slots))
                        .as("%s iterations, %s slots", n, slots)
                        .isLessThan(0.95 * work(even, steep, n, slots));
            }
        }
    }

    /** A million weights are a few thousand, and the stretches they stand for cost the same. */
    @Test
    void aLongPaceIsKeptShort() {
        var costs = IterationCosts.of(1_000_000, i -> 1 + i);
        assertThat(costs.weights()).hasSizeLessThan(5000);
        var weights = new CostPrefixSums(costs, 1_000_000);
        assertThat(weights.between(500_000, 1_000_000) / weights.between(0, 500_000))
                .isCloseTo(3, within(1e-3));
    }
}
