package dev.ebb.plan.search;

import dev.ebb.plan.pack.SplitMix;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Fits a sequence into a budget by evicting values and recomputing them just before their next use.
 * Each iteration applies the best of all {@link EvictionCandidates}, and the same choice at
 * repeated parts of the graph: the layers of a network are decided together, so a deep network
 * takes hardly more iterations than a shallow one. The choice is greedy, as in DTR (Kirisame et
 * al., 2021), but it knows every later use and is followed by an exact replay.
 */
final class Rematerialisation {
    /**
     * The number of rejected attempts that end a search; a little more in large graphs, where one
     * rejection repeats many times.
     */
    private static final int PATIENCE = 40;

    private final SearchModel model;
    private final Timeline time;
    private final EvictionCandidates offers;
    private Liveness current;
    private Liveness trial;
    private long budget;
    private int[] scratch = new int[0];
    private long replayed;

    Rematerialisation(SearchModel model, SplitMix dice) {
        this.model = model;
        time = new Timeline(model);
        offers = new EvictionCandidates(model, time, dice);
        current = new Liveness(model);
        trial = new Liveness(model);
    }

    /**
     * Steps replayed so far: a measure of work that, unlike a clock, is the same on every machine.
     */
    long work() {
        return replayed + offers.work;
    }

    Liveness current() {
        return current;
    }

    boolean start(int[] sequence) {
        replayed += sequence.length;
        return current.replay(sequence, sequence.length);
    }

    /**
     * Lowers the peak of the current sequence to {@code bound}, with more randomness in the choices
     * the higher {@code noise} is; false if it found no way within the allowance of work.
     */
    boolean to(long bound, double noise, long allowance) {
        budget = bound;
        long stop = work() + allowance;
        Set<Long> refused = new HashSet<>();
        time.index(current, budget);
        double price = model.total() / Math.max(1, time.overflow());
        int patience = PATIENCE + model.nodes.size() / 8;
        while (current.peak > budget) {
            if (model.paramBytes > budget || work() > stop) return false;
            double overflow = time.overflow();
            var best = offers.best(budget, price, refused, noise);
            if (best.isEmpty()) return false;
            var choice = best.get();
            if ((noise == 0 && make(offers.repeated(choice, refused), overflow))
                    || (replay(choice) && overflow(trial) < overflow)) {
                price = choice.price();
                swap();
                time.index(current, budget);
            } else {
                refused.add(choice.key());
                if (--patience == 0) return false;
            }
        }
        return true;
    }

    /**
     * Applies those of several choices, best first, that lower the peak as predicted and are
     * needed.
     */
    private boolean make(List<EvictionCandidates.Choice> choices, double overflow) {
        var byScore = new ArrayList<>(choices);
        byScore.sort(Comparator.comparingDouble(EvictionCandidates.Choice::score).reversed());
        for (int count = byScore.size(); count > 1; count /= 2) {
            var some = byScore.subList(0, count);
            if (!replay(some)) continue;
            if (trial.peak <= budget) return fewest(some);
            double gain = some.stream().mapToDouble(EvictionCandidates.Choice::gain).sum();
            if (overflow - overflow(trial) >= Math.min(overflow, gain) * EvictionCandidates.ALMOST)
                return true;
        }
        return false;
    }

    /** A minimal number of the choices that suffices, when all of them do. */
    private boolean fewest(List<EvictionCandidates.Choice> choices) {
        int low = 1;
        int high = choices.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (replay(choices.subList(0, middle)) && trial.peak <= budget) high = middle;
            else low = middle + 1;
        }
        return replay(choices.subList(0, high));
    }

    /** Tries the current sequence with this choice applied. */
    private boolean replay(EvictionCandidates.Choice choice) {
        if (choice.store() >= 0) return replay(List.of(choice));
        int step = choice.step();
        int[] chain = choice.chain();
        int length = current.length + chain.length;
        ensureCapacity(length);
        System.arraycopy(current.order, 0, scratch, 0, step);
        System.arraycopy(chain, 0, scratch, step, chain.length);
        System.arraycopy(current.order, step, scratch, step + chain.length, current.length - step);
        replayed += length;
        return trial.replay(scratch, length);
    }

    /** Tries the current sequence with these choices applied. */
    private boolean replay(List<EvictionCandidates.Choice> choices) {
        var chains = new ArrayList<>(choices);
        chains.sort(Comparator.comparingInt(EvictionCandidates.Choice::step));
        var stores = new ArrayList<>(choices.stream().filter(c -> c.store() >= 0).toList());
        stores.sort(Comparator.comparingInt(EvictionCandidates.Choice::since));
        int length = current.length + stores.size();
        for (var choice : choices) length += choice.chain().length;
        ensureCapacity(length);
        var stored = new HashSet<Integer>();
        int to = 0;
        int chained = 0;
        int put = 0;
        for (int i = 0; i <= current.length; i++) {
            for (; put < stores.size() && stores.get(put).since() + 1 == i; put++) {
                int store = stores.get(put).store();
                if (stored.add(store)) scratch[to++] = store;
            }
            for (; chained < chains.size() && chains.get(chained).step() == i; chained++) {
                int[] chain = chains.get(chained).chain();
                System.arraycopy(chain, 0, scratch, to, chain.length);
                to += chain.length;
            }
            // a value that is now stored earlier need not be stored again
            if (i < current.length && !stored.contains(current.order[i]))
                scratch[to++] = current.order[i];
        }
        replayed += length;
        return trial.replay(scratch, to);
    }

    private double overflow(Liveness replay) {
        double sum = 0;
        for (int i = 0; i < replay.length; i++) sum += Math.max(0, replay.memory[i] - budget);
        return sum;
    }

    private void swap() {
        var old = current;
        current = trial;
        trial = old;
    }

    private void ensureCapacity(int length) {
        if (scratch.length < length) scratch = new int[length + length / 4 + 16];
    }

    /** Drops recomputations that are not needed to fit the budget, most expensive first. */
    void relax(long bound) {
        budget = bound;
        var stuck = new boolean[model.works];
        int patience = PATIENCE;
        while (patience > 0) {
            time.index(current, budget);
            replayed += current.length;
            int best = -1;
            for (int i = 0; i < current.length; i++) {
                int u = current.order[i];
                if (time.firstTime[i] || stuck[u] || model.isStore(u)) continue;
                if ((best < 0 || model.again[u] > model.again[current.order[best]]) && isSpare(i))
                    best = i;
            }
            if (best < 0) return;
            if (drop(best)) {
                swap();
            } else {
                stuck[current.order[best]] = true;
                patience--;
            }
        }
    }

    /** A quick check whether the values that step {@code i} restores could have stayed resident. */
    private boolean isSpare(int i) {
        int u = time.order[i];
        long relieved = 0;
        int since = i;
        for (int x : model.in[u]) {
            int e = time.next(x, i + 1);
            if (e == time.first[x + 1] ? model.pinned[x] : (time.events[e] & 1) == 0) continue;
            relieved += model.bytes[x];
            since = Math.min(since, time.last(x, i) + 1);
        }
        for (int o : model.out[u]) {
            if (!time.isLive(o, i + 1)) continue;
            int from = time.last(o, i) + 1;
            if (time.highest(from, i) + model.bytes[o] - relieved > budget) return false;
            if (time.highest(from, Math.max(from, since)) + model.bytes[o] > budget) return false;
        }
        return true;
    }

    /** Tries the current sequence without a step; false if it does not fit the budget. */
    private boolean drop(int step) {
        ensureCapacity(current.length);
        System.arraycopy(current.order, 0, scratch, 0, step);
        System.arraycopy(current.order, step + 1, scratch, step, current.length - step - 1);
        replayed += current.length;
        return trial.replay(scratch, current.length - 1, budget);
    }
}
