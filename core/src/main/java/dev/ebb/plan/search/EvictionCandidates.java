package dev.ebb.plan.search;

import dev.ebb.plan.pack.SplitMix;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The eviction candidates of a sequence: every gap between two uses of a value, with the overflow
 * (memory above the budget) that evicting it there would remove and the cost of restoring it.
 * Operands of the recomputation are kept alive or recomputed too, whichever is cheaper at the
 * current price of memory. A value may also be restored by an inversion, or by a fetch if it was
 * offloaded when its gap began.
 */
final class EvictionCandidates {
    /** A choice counts as equally good if its worth is at least this share of the other's. */
    static final double ALMOST = 0.5;

    /**
     * One choice: the value to evict until a use, the works that restore it, the step before which
     * they run, and the benefit.
     *
     * @param since the last step before the value is evicted
     * @param store the transfer that offloads it then; -1 for none
     */
    record Choice(
            int value,
            int use,
            int since,
            int store,
            int step,
            int[] chain,
            long key,
            double score,
            double gain,
            double price) {}

    private final SearchModel model;
    private final Timeline time;
    private final SplitMix dice;
    private final RepeatedNodes alike;
    private final RecomputeChain recall;
    private final double least;

    /** The values that take memory and may be evicted. */
    private final int[] evictable;

    private double price;
    private long budget;
    private final long[] stored;
    private Optional<Choice> best = Optional.empty();
    private double bestScore;

    /** Steps examined so far, in units of {@link Rematerialisation#work}. */
    long work;

    EvictionCandidates(SearchModel model, Timeline time, SplitMix dice) {
        this.model = model;
        this.time = time;
        this.dice = dice;
        alike = new RepeatedNodes(model);
        recall = new RecomputeChain(model, time);
        stored = new long[model.problem.places().size()];
        least = Math.max(model.total() * 1e-7, 1e-300);
        evictable =
                IntStream.range(0, model.values.length)
                        .filter(v -> model.bytes[v] != 0 && mayGo(v))
                        .toArray();
    }

    /**
     * The best choice for the current timeline, under {@code bound} and at this price of memory.
     */
    Optional<Choice> best(long bound, double priceOfMemory, Set<Long> refused, double noise) {
        budget = bound;
        price = priceOfMemory;
        best = Optional.empty();
        bestScore = 0;
        countStored();
        work += time.length;
        for (int v : evictable) {
            int end = time.first[v + 1];
            for (int e = time.first[v] + 1; e < end; e++)
                if (isOpen(v, e, refused)) weigh(v, e, noise);
        }
        return best;
    }

    /**
     * The choice, and the same choice at repeated parts of the graph if it is almost as good there.
     */
    List<Choice> repeated(Choice choice, Set<Long> refused) {
        var all = new ArrayList<Choice>();
        all.add(choice);
        int node = model.maker(choice.value);
        if (node < 0) return all;
        int output = choice.value - model.out[node][0];
        for (int peer : alike.of(node)) {
            if (peer == node) continue;
            int v = model.out[peer][output];
            for (int e = time.first[v] + 1; e < time.first[v + 1]; e++) {
                int reader = time.order[time.events[e] >> 1];
                if (!isOpen(v, e, refused) || !alike.are(reader, choice.use)) continue;
                best = Optional.empty();
                bestScore = choice.score * ALMOST;
                weigh(v, e, 0);
                best.ifPresent(all::add);
            }
        }
        return all;
    }

    /** Whether event {@code e} reads {@code v} after a gap in which memory exceeds the bound. */
    private boolean isOpen(int v, int e, Set<Long> refused) {
        if ((time.events[e] & 1) == 1) return false;
        int to = time.events[e] >> 1;
        if (time.over((time.events[e - 1] >> 1) + 1, to) == 0) return false;
        return refused.isEmpty() || !refused.contains(key(v, time.order[to]));
    }

    private long key(int v, int use) {
        return (long) v * (model.works + 1) + use;
    }

    /** Whether {@code v} can be restored and may be evicted. */
    private boolean mayGo(int v) {
        if (v < model.params && (model.pinned[v] || model.isReplaced(v))) return false;
        if (model.place[v] >= 0) return false;
        int node = model.producer[v];
        return (node >= 0 && !model.once[node]) || model.ways[v].length > 0;
    }

    /** Evaluates every way to restore {@code v} for a use. */
    private void weigh(int v, int event, double noise) {
        int from = time.events[event - 1] >> 1;
        int to = time.events[event] >> 1;
        double relief = relief(v, from + 1, to);
        double luck = noise == 0 ? 1 : 1 + noise * (dice.next() - 0.5);
        int producer = model.producer[v];
        if (producer >= 0 && !model.once[producer]) weigh(v, producer, from, to, relief, luck);
        for (int way : model.ways[v]) {
            if (way != producer) weigh(v, way, from, to, relief, luck);
        }
    }

    /**
     * Evaluates restoring {@code v} by {@code way} just before a use, or where the operands were
     * last alive. If nothing has read it since it was written, this moves its computation, which
     * costs less.
     */
    private void weigh(int v, int way, int from, int to, double relief, double luck) {
        double saved = moved(v, way, from);
        if (relief * luck <= bestScore * (model.again[way] - saved + least)) return;
        offer(v, way, from, to, to, saved, luck);
        if (model.isTransfer(way)) return;
        int earlier = to;
        for (int x : model.in[way]) {
            if (!time.isLive(x, to)) {
                int d = time.last(x, to);
                if (d > from + 1) earlier = Math.min(earlier, d);
            }
        }
        if (earlier < to && time.over(from + 1, earlier) > 0)
            offer(v, way, from, earlier, to, saved, luck);
    }

    /**
     * The cost saved because the work that wrote {@code v} at step {@code from} becomes
     * unnecessary.
     */
    private double moved(int v, int way, int from) {
        if (from < 0) return 0;
        int writer = time.order[from];
        if (model.out[writer].length != 1 || model.out[writer][0] != v) return 0;
        return writer == way || writer >= model.nodes.size() ? model.again[writer] : 0;
    }

    private double relief(int v, int from, int to) {
        return Math.min((double) model.bytes[v] * time.over(from, to), time.overBytes(from, to));
    }

    private void offer(int v, int way, int from, int at, int use, double saved, double luck) {
        int store = storeBefore(way, at);
        double cost = -saved;
        if (store >= 0) {
            int k = model.placeNumber(store);
            if (from < 0 || stored[k] + model.bytes[v] > model.placeOf(store).bytes()) return;
            cost += model.again[store];
        }
        boolean found = recall.by(way, v, at, store >= 0, price);
        work += recall.work();
        if (!found) return;
        cost += recall.cost();
        double gain = relief(v, from + 1, at) - recall.harm();
        if (gain <= 0 || gain * luck <= bestScore * (cost + least)) return;
        work += recall.length();
        gain -= recall.crowding(v, at, budget);
        double score = gain * luck / (cost + least);
        if (gain > 0 && score > bestScore) {
            bestScore = score;
            best =
                    Optional.of(
                            new Choice(
                                    v,
                                    time.order[use],
                                    from,
                                    store,
                                    at,
                                    recall.chain(),
                                    key(v, time.order[use]),
                                    score,
                                    gain,
                                    cost / gain));
        }
    }

    /** An upper bound on the bytes in each place at any time. */
    private void countStored() {
        Arrays.fill(stored, 0);
        if (!model.mayMove()) return;
        for (int c = 0; c < model.values.length; c++) {
            if (model.original[c] < 0) continue;
            boolean used = model.initial[c] || time.first[c + 1] > time.first[c];
            if (used)
                stored[model.placeNumber(model.producer[c])] += model.bytes[model.original[c]];
        }
    }

    /**
     * The store that must precede a fetch by {@code way} of a value not yet offloaded; -1 for none.
     */
    private int storeBefore(int way, int at) {
        if (!model.isTransfer(way)) return -1;
        int copy = model.in[way][0];
        return model.initial[copy] || time.last(copy, at) >= 0 ? -1 : model.producer[copy];
    }
}
