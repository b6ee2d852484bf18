package dev.ebb.plan;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Brings a sequence under a budget by letting values go and computing them again just before their
 * next use. Each round weighs every gap between two uses of a value: the excess memory that an
 * absence would relieve, against the cost of the chain of nodes that brings the value back. What
 * the chain itself reads is kept alive or computed again, whichever is cheaper at the current price
 * of memory. Greedy, as DTR (Kirisame et al., 2021) is, but with the whole future in view and an
 * exact replay after every choice.
 */
final class Squeeze {
    /** No chain is longer: what takes more to bring back is better kept. */
    private static final int LONGEST = 400;

    /**
     * How many refused attempts end a search; a little more in large graphs, where one refusal
     * comes many times.
     */
    private static final int PATIENCE = 40;

    private final Model model;
    private final Timeline time;
    private Liveness current;
    private Liveness trial;
    private final Dice dice;
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
    private double price;
    private long budget;
    private final double least;
    private int[] scratch = new int[0];

    /**
     * Steps replayed so far: the measure of work, which unlike a clock is the same on every
     * machine.
     */
    long work;

    private int bestStep;
    private int[] bestChain = new int[64];
    private int bestLength;
    private long bestKey;
    private double bestScore;
    private double bestPrice;

    Squeeze(Model model, Dice dice) {
        this.model = model;
        this.dice = dice;
        time = new Timeline(model);
        current = new Liveness(model);
        trial = new Liveness(model);
        stamp = new int[model.nodes.size()];
        lastIn = new int[model.nodes.size()];
        lastStep = new int[model.nodes.size()];
        least = Math.max(model.total() * 1e-7, 1e-300);
    }

    Liveness current() {
        return current;
    }

    boolean start(int[] sequence) {
        work += sequence.length;
        return current.replay(sequence, sequence.length);
    }

    /**
     * Lowers the peak of the current sequence to {@code bound}, with more chance in the choices the
     * higher {@code noise} is; false if it found no way within the allowance of work.
     */
    boolean to(long bound, double noise, long allowance) {
        budget = bound;
        long stop = work + allowance;
        Set<Long> refused = new HashSet<>();
        time.index(current, budget);
        price = model.total() / Math.max(1, time.overflow());
        int patience = PATIENCE + model.nodes.size() / 8;
        while (current.peak > budget) {
            if (model.paramBytes > budget || work > stop) return false;
            double overflow = time.overflow();
            findBest(refused, noise);
            if (bestLength == 0) return false;
            if (apply() && overflow(trial) < overflow) {
                price = bestPrice;
                swap();
                time.index(current, budget);
            } else {
                refused.add(bestKey);
                if (--patience == 0) return false;
            }
        }
        return true;
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

    private boolean apply() {
        int length = current.length + bestLength;
        room(length);
        System.arraycopy(current.order, 0, scratch, 0, bestStep);
        System.arraycopy(bestChain, 0, scratch, bestStep, bestLength);
        System.arraycopy(
                current.order, bestStep, scratch, bestStep + bestLength, current.length - bestStep);
        work += length;
        return trial.replay(scratch, length);
    }

    private void room(int length) {
        if (scratch.length < length) scratch = new int[length + length / 4 + 16];
    }

    private void findBest(Set<Long> refused, double noise) {
        bestLength = 0;
        bestScore = 0;
        int n = model.nodes.size() + 1;
        work += time.length;
        for (int v = model.params; v < model.values.length; v++) {
            if (model.once[model.producer[v]] || model.bytes[v] == 0) continue;
            int end = time.first[v + 1];
            for (int e = time.first[v] + 1; e < end; e++) {
                if ((time.events[e] & 1) == 1) continue;
                int from = time.events[e - 1] >> 1;
                int to = time.events[e] >> 1;
                if (time.over(from + 1, to) == 0) continue;
                if (!refused.isEmpty() && refused.contains((long) v * n + time.order[to])) continue;
                weigh(v, e, noise);
            }
        }
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
            bestPrice = chainCost / gain;
            bestStep = at;
            bestKey = (long) v * (model.nodes.size() + 1) + time.order[use];
            bestLength = chained;
            if (bestChain.length < chained) bestChain = new int[chain.length];
            System.arraycopy(chain, 0, bestChain, 0, chained);
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

    /** Drops recomputations that the budget has room without, dearest first. */
    void relax(long bound) {
        budget = bound;
        var stuck = new boolean[model.nodes.size()];
        int patience = PATIENCE;
        while (patience > 0) {
            time.index(current, budget);
            work += current.length;
            int best = -1;
            for (int i = 0; i < current.length; i++) {
                int u = current.order[i];
                if (time.firstTime[i] || stuck[u]) continue;
                if ((best < 0 || model.again[u] > model.again[current.order[best]]) && isSpare(i))
                    best = i;
            }
            if (best < 0) return;
            if (drop(best) && trial.peak <= budget) {
                swap();
            } else {
                stuck[current.order[best]] = true;
                patience--;
            }
        }
    }

    /** A quick look: could the values that step {@code i} brings back have stayed? */
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

    private boolean drop(int step) {
        room(current.length);
        System.arraycopy(current.order, 0, scratch, 0, step);
        System.arraycopy(current.order, step + 1, scratch, step, current.length - step - 1);
        work += current.length;
        return trial.replay(scratch, current.length - 1);
    }
}
