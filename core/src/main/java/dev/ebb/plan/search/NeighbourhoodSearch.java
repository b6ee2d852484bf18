package dev.ebb.plan.search;

import dev.ebb.plan.pack.SplitMix;

import java.util.Arrays;

/**
 * Improves a sequence that fits: removes some recomputations, fits the sequence into the budget
 * again with some randomness in the choices, drops recomputations that have become unnecessary, and
 * keeps the result if it is no worse. This is large neighbourhood search (Shaw, 1998); it stops
 * after a counted amount of work.
 */
final class NeighbourhoodSearch {
    private final SearchModel model;
    private final SplitMix dice = new SplitMix(1);
    private final Rematerialisation squeeze;

    NeighbourhoodSearch(SearchModel model) {
        this.model = model;
        squeeze = new Rematerialisation(model, dice);
    }

    long work() {
        return squeeze.work();
    }

    Rematerialisation squeeze() {
        return squeeze;
    }

    /** A sequence that fits and costs no more than {@code start}, which fits too. */
    int[] improve(int[] start, long budget, long allowance) {
        long stop = squeeze.work() + allowance;
        squeeze.start(start);
        squeeze.relax(budget);
        int[] best = squeeze.current().sequence();
        double bestExtra = squeeze.current().extra;
        int[] here = best;
        double hereExtra = bestExtra;
        var seen = new boolean[model.works];
        while (squeeze.work() < stop && bestExtra > 0) {
            int[] broken = ruin(here, seen);
            if (!squeeze.start(broken))
                throw new IllegalStateException("a sequence lost what it reads");
            if (!squeeze.to(budget, dice.next(), stop - squeeze.work())) continue;
            squeeze.relax(budget);
            double extra = squeeze.current().extra;
            double heat = 0.02 * (stop - squeeze.work()) / allowance;
            if (extra <= hereExtra * (1 + heat * dice.next())) {
                here = squeeze.current().sequence();
                hereExtra = extra;
                if (extra < bestExtra) {
                    best = here;
                    bestExtra = extra;
                }
            }
        }
        return best;
    }

    /**
     * The sequence without some of its recomputations: neighbours in time, or a random selection.
     */
    private int[] ruin(int[] sequence, boolean[] seen) {
        Arrays.fill(seen, false);
        var again = new int[sequence.length];
        int count = 0;
        for (int i = 0; i < sequence.length; i++) {
            if (seen[sequence[i]] || isSpare(sequence[i])) again[count++] = i;
            seen[sequence[i]] = true;
        }
        if (count == 0) return sequence;
        int size = 1 + dice.below(Math.min(count, 12));
        var gone = new boolean[sequence.length];
        if (dice.next() < 0.6) {
            int first = dice.below(count);
            for (int k = 0; k < size; k++) gone[again[(first + k) % count]] = true;
        } else {
            for (int k = 0; k < size; k++) gone[again[dice.below(count)]] = true;
        }
        var rest = new int[sequence.length];
        int length = 0;
        for (int i = 0; i < sequence.length; i++) if (!gone[i]) rest[length++] = sequence[i];
        return Arrays.copyOf(rest, length);
    }

    /** Whether a work can be removed: it restores a value that could have stayed. */
    private boolean isSpare(int u) {
        return u >= model.nodes.size() && !model.isStore(u) && model.producer[model.out[u][0]] != u;
    }
}
