package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.ir.Pace;

import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

class UnevenTest {

    private static Pace pace(int n, IntToDoubleFunction cost) {
        return new Pace(IntStream.range(0, n).mapToObj(cost::applyAsDouble).toList());
    }

    private static double work(Splits splits, Pace pace, int slots) {
        return new Uneven(pace, slots).work(splits, slots);
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
            var pace = pace(n, _ -> 1 + random.nextInt(20));
            double found = work(Splits.of(pace, slots), pace, slots);
            assertThat(found)
                    .as("%s with %s slots", pace.weights(), slots)
                    .isCloseTo(searched(pace.weights(), slots), within(1e-9));
        }
    }

    @Test
    void equalRoundsAreReversedAsRevolveDoes() {
        for (int n : new int[] {1, 2, 17, 90}) {
            for (int slots = 1; slots < 8; slots++) {
                var pace = pace(n, _ -> 1);
                assertThat(work(new Uneven(pace, slots), pace, slots))
                        .isEqualTo((double) Revolve.forwards(n, slots));
            }
        }
    }

    @Test
    void longLoopsAreNeverReversedWorseThanEvenly() {
        for (int n : new int[] {50, 200, 1000, Splits.LONGEST_UNEVEN}) {
            for (int slots : new int[] {2, 5, 20}) {
                var growing = pace(n, i -> 1 + i);
                double even = work(Splits.even(), growing, slots);
                double best = work(Splits.of(growing, slots), growing, slots);
                assertThat(best).isLessThanOrEqualTo(even);
                var steep = pace(n, i -> Math.exp(10.0 * i / n));
                assertThat(work(Splits.of(steep, slots), steep, slots))
                        .isLessThan(0.95 * work(Splits.even(), steep, slots));
            }
        }
    }
}
