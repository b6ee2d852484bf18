package dev.ebb.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Weighs every gap between two uses of a value: the excess memory that an absence would relieve,
 * against the cost of the chain of nodes that brings the value back. What the chain itself reads is
 * kept alive or computed again, whichever is cheaper at the current price of memory.
 */
final class Offers {
    /** No chain is longer: what takes more to bring back is better kept. */
    private static final int LONGEST = 400;

    /** A choice is as good as another if it is worth this share of it. */
    static final double ALMOST = 0.5;

    /**
     * One choice: the value to let go until a use, what to compute again before which step, and
     * what that is worth.
     */
    record Choice(
            int value,
            int use,
            int step,
            int[] chain,
            long key,
            double score,
            double gain,
            double price) {}

    private final Model model;
    private final Timeline time;
    private final Dice dice;
    private final Alike alike;
    private final int[] stamp;
    private int stamps;
    private int[] chain = new int[64];
    private int chained;
    private double chainCost;
    private double chainHarm;
    private long chainHeld;
    private long chainBytes;
    private final int[] lastIn;
    private final int[] lastStep;
    private final double least;
    private double price;
    private long budget;
    private Optional<Choice> best = Optional.empty();
    private double bestScore;

    /** Steps looked at so far, by the measure of {@link Squeeze#work}. */
    long work;

    Offers(Model model, Timeline time, Dice dice) {
        this.model = model;
        this.time = time;
        this.dice = dice;
        alike = new Alike(model);
        stamp = new int[model.nodes.size()];
        lastIn = new int[model.nodes.size()];
        lastStep = new int[model.nodes.size()];
        least = Math.max(model.total() * 1e-7, 1e-300);
    }

    /**
     * The best choice for the timeline as it is, under {@code bound} and at this price of memory.
     */
    Optional<Choice> best(long bound, double priceOfMemory, Set<Long> refused, double noise) {
        budget = bound;
        price = priceOfMemory;
        best = Optional.empty();
        bestScore = 0;
        work += time.length;
        for (int v = model.params; v < model.values.length; v++) {
            if (model.once[model.producer[v]] || model.bytes[v] == 0) continue;
            int end = time.first[v + 1];
            for (int e = time.first[v] + 1; e < end; e++)
                if (isOpen(v, e, refused)) weigh(v, e, noise);
        }
        return best;
    }

    /**
     * The choice and the same one wherever the graph repeats itself, if it is almost as good there.
     */
    List<Choice> like(Choice choice, Set<Long> refused) {
        var all = new ArrayList<Choice>();
        all.add(choice);
        int node = model.producer[choice.value];
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

    /** Whether event {@code e} reads {@code v} after a gap in which memory is short. */
    private boolean isOpen(int v, int e, Set<Long> refused) {
        if ((time.events[e] & 1) == 1) return false;
        int to = time.events[e] >> 1;
        if (time.over((time.events[e - 1] >> 1) + 1, to) == 0) return false;
        return refused.isEmpty() || !refused.contains(key(v, time.order[to]));
    }

    private long key(int v, int use) {
        return (long) v * (model.nodes.size() + 1) + use;
    }

    /**
     * Weighs computing {@code v} again just before a use, or where what it reads was last alive.
     * Where nothing has read it since it was computed, that is to move it, and costs less.
     */
    private void weigh(int v, int event, double noise) {
        int from = time.events[event - 1] >> 1;
        int to = time.events[event] >> 1;
        int node = model.producer[v];
        boolean unread = (time.events[event - 1] & 1) == 1 && model.out[node].length == 1;
        double saved = unread ? model.again[node] : 0;
        double relief = relief(v, from + 1, to);
        double luck = noise == 0 ? 1 : 1 + noise * (dice.next() - 0.5);
        if (relief * luck <= bestScore * (model.again[node] - saved + least)) return;
        offer(v, from, to, to, saved, luck);
        int earlier = to;
        for (int x : model.in[model.producer[v]]) {
            if (!time.isLive(x, to)) {
                int d = time.last(x, to);
                if (d > from + 1) earlier = Math.min(earlier, d);
            }
        }
        if (earlier < to && time.over(from + 1, earlier) > 0)
            offer(v, from, earlier, to, saved, luck);
    }

    private double relief(int v, int from, int to) {
        return Math.min((double) model.bytes[v] * time.over(from, to), time.overBytes(from, to));
    }

    private void offer(int v, int from, int at, int use, double saved, double luck) {
        stamps++;
        chained = 0;
        chainCost = -saved;
        chainHarm = 0;
        chainHeld = 0;
        chainBytes = 0;
        if (!reach(model.producer[v], at)) return;
        double gain = relief(v, from + 1, at) - chainHarm;
        if (gain <= 0 || gain * luck <= bestScore * (chainCost + least)) return;
        gain -= crowding(v, at);
        double score = gain * luck / (chainCost + least);
        if (gain > 0 && score > bestScore) {
            bestScore = score;
            best =
                    Optional.of(
                            new Choice(
                                    v,
                                    time.order[use],
                                    at,
                                    Arrays.copyOf(chain, chained),
                                    key(v, time.order[use]),
                                    score,
                                    gain,
                                    chainCost / gain));
        }
    }

    /** How far the steps of the chain, run before step {@code at}, exceed the budget, summed up. */
    private double crowding(int v, int at) {
        work += chained;
        long now = time.memory(at) - model.bytes[v] + chainHeld;
        for (int o : model.out[time.order[at]]) now -= model.bytes[o];
        if (now + chainBytes <= budget) return 0;
        for (int k = chained - 1; k >= 0; k--) {
            for (int x : model.in[chain[k]]) {
                int p = model.producer[x];
                if (p >= 0 && stamp[p] == stamps && lastIn[p] != stamps) {
                    lastIn[p] = stamps;
                    lastStep[p] = k;
                }
            }
        }
        double sum = 0;
        for (int k = 0; k < chained; k++) {
            for (int o : model.out[chain[k]]) now += model.bytes[o];
            sum += Math.max(0, now - budget);
            for (int x : model.in[chain[k]]) {
                int p = model.producer[x];
                if (p >= 0 && lastIn[p] == stamps && lastStep[p] == k && !time.isLive(x, at))
                    now -= model.bytes[x];
            }
        }
        return sum;
    }

    /**
     * Appends to the chain what computing {@code node} before step {@code at} takes; false if it
     * cannot be done.
     */
    private boolean reach(int node, int at) {
        stamp[node] = stamps;
        chainCost += model.again[node];
        work += 2;
        for (int o : model.out[node]) chainBytes += model.bytes[o];
        for (int x : model.in[node]) {
            int producer = model.producer[x];
            if ((producer >= 0 && stamp[producer] == stamps) || time.isLive(x, at)) continue;
            int from = lost(x, time.last(x, at));
            double harm = time.harm(model.bytes[x], chainHeld, from, at);
            boolean again = producer >= 0 && !model.once[producer];
            if (!again || harm * price <= model.again[producer]) {
                if (isReplaced(x)) return false;
                chainHarm += harm;
                chainHeld += model.bytes[x];
            } else {
                if (chained + 1 >= LONGEST || !reach(producer, at)) return false;
            }
        }
        if (chained == chain.length) chain = Arrays.copyOf(chain, 2 * chained);
        chain[chained++] = node;
        return true;
    }

    /**
     * The first step at which keeping {@code x} beyond its last use, at step {@code last}, takes
     * more memory: that step itself, if {@code x} is written over there.
     */
    private int lost(int x, int last) {
        if (last >= 0) {
            int[] pairs = model.reuse[time.order[last]];
            for (int k = 0; k < pairs.length; k += 2) if (pairs[k] == x) return last;
        }
        return last + 1;
    }

    /**
     * Whether a dead param cannot be kept alive for longer, because a result has taken its place.
     */
    private boolean isReplaced(int x) {
        return x < model.params && model.problem.bindings().get(x) instanceof Binding.Replaced;
    }
}
