package dev.ebb.plan;

import java.util.HashSet;
import java.util.Set;

/**
 * Brings a sequence under a budget by letting values go and computing them again just before their
 * next use. Each round weighs every gap between two uses of a value: the excess memory that an
 * absence would relieve, against the cost of the chain of nodes that brings the value back. What
 * the chain itself reads is kept alive or computed again, whichever is cheaper at the current price
 * of memory. A chain may also end in an inversion, or in a fetch from the disk of what is stored
 * when its gap begins. Greedy, as DTR (Kirisame et al., 2021) is, but with the whole future in view
 * and an exact replay after every choice.
 */
final class Squeeze {
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
    private final Recall recall;
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

    /** The value to store on the disk after step {@code bestStored}; -1 for none. */
    private int bestStore;

    private int bestStored;
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
        recall = new Recall(model, time);
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
        int length = current.length + bestLength + 1;
        room(length);
        int at = 0;
        for (int i = 0; i <= current.length; i++) {
            if (bestStore >= 0 && i == bestStored + 1) scratch[at++] = model.store(bestStore);
            if (i == bestStep) {
                System.arraycopy(bestChain, 0, scratch, at, bestLength);
                at += bestLength;
            }
            if (i == current.length) break;
            // what is stored earlier now need not be stored again
            if (bestStore < 0 || current.order[i] != model.store(bestStore))
                scratch[at++] = current.order[i];
        }
        work += length;
        return trial.replay(scratch, at);
    }

    private void room(int length) {
        if (scratch.length < length) scratch = new int[length + length / 4 + 16];
    }

    private void findBest(Set<Long> refused, double noise) {
        bestLength = 0;
        bestScore = 0;
        int n = model.works + 1;
        work += time.length;
        for (int v = 0; v < model.values.length; v++) {
            if (model.bytes[v] == 0 || !mayGo(v)) continue;
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

    /** Whether there is a way back for {@code v}, and no promise that it stays. */
    private boolean mayGo(int v) {
        if (v < model.params && (model.pinned[v] || model.isReplaced(v))) return false;
        int node = model.producer[v];
        return (node >= 0 && !model.once[node]) || model.ways[v].length > 0;
    }

    /** Weighs every way to bring {@code v} back for a use. */
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
     * Weighs bringing {@code v} back by {@code way} just before a use, or where what it reads was
     * last alive. Where nothing has read it since it was written, that is to move it, and costs
     * less.
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

    /** What is saved because the work that wrote {@code v} at step {@code from} can go. */
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
        boolean stores = isStoredHere(v, way, at);
        double cost = -saved;
        if (stores) {
            if (from < 0 || storedBytes() + model.bytes[v] > model.problem.disk().bytes()) return;
            cost += model.again[model.store(v)];
        }
        boolean found = recall.by(way, v, at, stores, price);
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
            bestPrice = cost / gain;
            bestStep = at;
            bestStore = stores ? v : -1;
            bestStored = from;
            bestKey = (long) v * (model.works + 1) + time.order[use];
            bestLength = recall.length();
            bestChain = recall.copyInto(bestChain);
        }
    }

    /** No more than this is on the disk at any time. */
    private long storedBytes() {
        long sum = 0;
        for (int v = 0; v < model.values.length; v++) {
            int c = model.copy[v];
            boolean used = c >= 0 && (model.initial[c] || time.first[c + 1] > time.first[c]);
            if (used) sum += model.bytes[v];
        }
        return sum;
    }

    /** Whether {@code way} fetches what has not been stored before step {@code at}. */
    private boolean isStoredHere(int v, int way, int at) {
        if (!model.isTransfer(way) || model.initial[model.copy[v]]) return false;
        return time.last(model.copy[v], at) < 0;
    }

    /** Drops recomputations that the budget has room without, dearest first. */
    void relax(long bound) {
        budget = bound;
        var stuck = new boolean[model.works];
        int patience = PATIENCE;
        while (patience > 0) {
            time.index(current, budget);
            work += current.length;
            int best = -1;
            for (int i = 0; i < current.length; i++) {
                int u = current.order[i];
                if (time.firstTime[i] || stuck[u] || model.isStore(u)) continue;
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
