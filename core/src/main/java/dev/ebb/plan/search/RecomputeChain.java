package dev.ebb.plan.search;

import java.util.Arrays;

/**
 * The computations that restore a value before a step of a sequence: the last one writes it, the
 * others restore the operands that are not in memory.
 */
final class RecomputeChain {
    /** The longest chain; a value that takes more to restore is better kept. */
    private static final int LONGEST = 400;

    private final SearchModel model;
    private final Timeline time;
    private final int[] stamp;
    private int stamps;
    private final int[] lastIn;
    private final int[] lastStep;
    private int[] chain = new int[64];
    private int chained;
    private double cost;
    private double harm;
    private long held;
    private long bytes;
    private int target;
    private double price;
    private long work;

    RecomputeChain(SearchModel model, Timeline time) {
        this.model = model;
        this.time = time;
        stamp = new int[model.works];
        lastIn = new int[model.works];
        lastStep = new int[model.works];
    }

    /**
     * Builds the chain that ends in {@code way} and restores {@code v} before step {@code at},
     * where an excess byte during a step costs {@code price}; false if there is none. If {@code
     * stored}, the operand of the way will have been offloaded.
     */
    boolean by(int way, int v, int at, boolean stored, double price) {
        this.price = price;
        stamps++;
        target = v;
        chained = 0;
        cost = 0;
        harm = 0;
        held = 0;
        bytes = 0;
        work = 0;
        if (!stored) return reach(way, at);
        cost = model.again[way];
        bytes = model.bytes[v];
        stamp[way] = stamps;
        chain[chained++] = way;
        return true;
    }

    int length() {
        return chained;
    }

    double cost() {
        return cost;
    }

    /** The overflow caused by keeping the operands of the chain alive, summed over steps. */
    double harm() {
        return harm;
    }

    long work() {
        return work;
    }

    /** A copy of the chain. */
    int[] chain() {
        return Arrays.copyOf(chain, chained);
    }

    /**
     * The overflow during the steps of the chain, run before step {@code at}, summed over steps.
     */
    double crowding(int v, int at, long budget) {
        long now = time.memory(at) - model.bytes[v] + held;
        for (int o : model.out[time.order[at]]) now -= model.bytes[o];
        if (now + bytes <= budget) return 0;
        for (int k = chained - 1; k >= 0; k--) {
            for (int x : model.in[chain[k]]) {
                int p = inChain(x);
                if (p >= 0 && lastIn[p] != stamps) {
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
                int p = inChain(x);
                if (p >= 0 && lastIn[p] == stamps && lastStep[p] == k && !time.isLive(x, at))
                    now -= model.bytes[x];
            }
        }
        return sum;
    }

    /** The work of the chain that writes {@code x}; -1 for none. */
    private int inChain(int x) {
        int p = model.producer[x];
        if (p >= 0 && stamp[p] == stamps) return p;
        for (int way : model.ways[x]) if (stamp[way] == stamps) return way;
        return -1;
    }

    /**
     * Appends to the chain the works needed to compute {@code node} before step {@code at}; false
     * if that is impossible.
     */
    private boolean reach(int node, int at) {
        stamp[node] = stamps;
        cost += model.again[node];
        work += 2;
        for (int o : model.out[node]) bytes += model.bytes[o];
        for (int x : model.in[node]) {
            if (x == target) return false;
            int producer = model.producer[x];
            if (producer >= 0 && stamp[producer] == stamps) continue;
            int next = time.next(x, at);
            if (time.isLiveBefore(x, next)) continue;
            if (model.ways[x].length > 0) producer = wayTo(x, at);
            if (producer >= 0 && stamp[producer] == stamps) continue;
            int last = time.lastBefore(x, next);
            if (last < 0 && !model.initial[x]) return false;
            int from = lost(x, last);
            boolean again = producer >= 0 && !model.once[producer];
            double most = again ? model.again[producer] : Double.POSITIVE_INFINITY;
            double hurt = time.harm(model.bytes[x], held, from, at, price, most);
            if (hurt * price <= most) {
                if (model.isReplaced(x)) return false;
                harm += hurt;
                held += model.bytes[x];
            } else {
                if (chained + 1 >= LONGEST || !reach(producer, at)) return false;
            }
        }
        if (chained == chain.length) chain = Arrays.copyOf(chain, 2 * chained);
        chain[chained++] = node;
        return true;
    }

    /**
     * The work by which to restore {@code x}: the one with the fewest missing operands. Works
     * already in the chain come first.
     */
    private int wayTo(int x, int at) {
        int best = model.producer[x];
        int[] ways = model.ways[x];
        double least = best < 0 || model.once[best] ? Double.POSITIVE_INFINITY : missing(best, at);
        for (int way : ways) {
            if (stamp[way] == stamps) return way;
            double cost = missing(way, at);
            if (cost < least) {
                least = cost;
                best = way;
            }
        }
        return best;
    }

    /** An estimate of the cost of {@code way}, including its inputs that are not resident. */
    private double missing(int way, int at) {
        double sum = model.again[way];
        for (int x : model.in[way]) {
            int next = time.next(x, at);
            if (x == target || (time.lastBefore(x, next) < 0 && !model.initial[x]))
                return Double.POSITIVE_INFINITY;
            int p = model.producer[x];
            boolean there = time.isLiveBefore(x, next) || (p >= 0 && stamp[p] == stamps);
            if (!there && p >= 0 && model.bytes[x] > 0) sum += model.again[p];
        }
        return sum;
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
}
