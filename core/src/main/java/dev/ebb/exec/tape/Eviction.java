package dev.ebb.exec.tape;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.Arrays;
import java.util.Optional;

/**
 * Chooses which value to evict when memory is needed: the value whose recomputation costs least in
 * relation to the bytes that it frees and to the time until it is read again. The cost includes the
 * evicted values around it, which would have to be recomputed with it. While a program runs, it is
 * not known when a value will be read again; the time since it was last used is taken as an
 * estimate, as in Kirisame et al., "Dynamic tensor rematerialization" (ICLR 2021). During the
 * backward pass of a gradient over the record of the tape, the next use is known: the pass reads a
 * value at the nodes that it has not reached yet, and no value of a node that it has passed.
 *
 * <p>While a program runs, a choice examines the least recently used values of each kind until no
 * other value can be better. During a backward pass it examines all values in memory, each with a
 * few neighbours. That is fast enough for thousands of tensors, but not for millions.
 */
final class Eviction {
    /** The factor on the cost of a value that the nodes about to run will read. */
    private static final double AWAITED = 1e60;

    private static final int READERS = 16;
    private static final int LEAST_RETURNS = 64;

    private final ExecutionLog ledger;
    private final ResidentValues residents;
    private final EvictedGroups groups = new EvictedGroups();
    private final LeastRecent recent = new LeastRecent();
    private int[] locks = new int[16];
    private int[] awaited = new int[16];
    private long[] touched = new long[16];
    private int[] held = new int[16];
    private boolean[] pinned = new boolean[16];
    private final int[] near = new int[READERS + 8];
    private long clock;
    private int position = -1;
    private int running;
    private int returns;

    Eviction(ExecutionLog ledger, ResidentValues residents) {
        this.ledger = ledger;
        this.residents = residents;
    }

    void know(Value v) {
        if (v.id() < locks.length) return;
        int size = Math.max(v.id() + 1, 2 * locks.length);
        locks = Arrays.copyOf(locks, size);
        awaited = Arrays.copyOf(awaited, size);
        touched = Arrays.copyOf(touched, size);
        held = Arrays.copyOf(held, size);
        pinned = Arrays.copyOf(pinned, size);
    }

    void lock(Value v) {
        locks[v.id()]++;
    }

    void unlock(Value v) {
        locks[v.id()]--;
    }

    /** The nodes about to run will read {@code v} this many times more, or less. */
    void await(Value v, int times) {
        awaited[v.id()] += times;
    }

    /** {@code v} is never evicted. */
    void pin(Value v) {
        pinned[v.id()] = true;
        recent.remove(v);
    }

    /**
     * Cotangents that a backward pass still needs are not evicted: restoring them would repeat the
     * pass.
     */
    void hold(Value v, int times) {
        know(v);
        held[v.id()] += times;
    }

    void touch(Value v) {
        touched[v.id()] = ++clock;
        if (!pinned[v.id()] && residents.has(v)) recent.touch(v, ledger.kind(v));
    }

    /** After a failure: no nodes are about to run. */
    void reset() {
        Arrays.fill(locks, 0);
        Arrays.fill(awaited, 0);
    }

    /** The backward pass has reached node {@code at}. */
    void backwardAt(int at) {
        if (!inBackward()) returns = Integer.MAX_VALUE / 2;
        position = at;
    }

    void backwardEnds() {
        Arrays.fill(held, 0);
        position = -1;
        returns = Integer.MAX_VALUE / 2;
    }

    private boolean inBackward() {
        return position >= 0;
    }

    void evicted(Value v) {
        recent.remove(v);
        if (!alive(v)) return;
        int maker = ledger.maker(v);
        groups.add(v, ledger.cost(maker));
        for (Value x : ledger.node(maker).inputs()) if (groups.has(x)) groups.join(x, v);
        int last = readers(v);
        for (int i = Math.max(0, last - READERS); i < last; i++) {
            for (Value y : ledger.node(ledger.reader(v, i)).outputs()) {
                if (groups.has(y)) groups.join(y, v);
            }
        }
    }

    void returned(Value v) {
        if (groups.has(v)) groups.leave(v, ledger.cost(ledger.maker(v)));
        returns++;
    }

    /** Whether {@code v} may be read again. */
    private boolean alive(Value v) {
        return !inBackward() || ledger.maker(v) <= position;
    }

    /** The bytes of all values that may be evicted. */
    long losable() {
        long sum = 0;
        for (Value v : residents.all()) if (mayGo(v)) sum += ResidentValues.bytes(v);
        return sum;
    }

    private boolean mayGo(Value v) {
        int id = v.id();
        return locks[id] == 0 && held[id] == 0 && !pinned[id];
    }

    /** The value to evict next, so that node {@code node} can run; empty if none may be evicted. */
    Optional<Value> next(int node) {
        running = node;
        if (returns > Math.max(LEAST_RETURNS, residents.all().size() / 2)) regroup();
        if (!inBackward()) {
            var found = leastRecent();
            if (found.isPresent()) return found;
        }
        var best = Optional.<Value>empty();
        double least = Double.POSITIVE_INFINITY;
        for (Value v : residents.all()) {
            if (!mayGo(v) || ResidentValues.bytes(v) == 0) continue;
            double score = score(v);
            if (score < least) {
                least = score;
                best = Optional.of(v);
                if (score == 0) break;
            }
        }
        return best;
    }

    /**
     * The largest cotangent of a backward pass that one node can recompute from values in memory.
     * It is evicted only if no other value may be.
     */
    Optional<Value> carried() {
        var best = Optional.<Value>empty();
        long most = 0;
        for (Value v : residents.all()) {
            int id = v.id();
            if (held[id] == 0 || locks[id] > 0 || pinned[id] || ledger.maker(v) < 0) continue;
            boolean near = ledger.node(ledger.maker(v)).inputs().stream().allMatch(this::stays);
            if (near && ResidentValues.bytes(v) > most) {
                best = Optional.of(v);
                most = ResidentValues.bytes(v);
            }
        }
        return best;
    }

    private boolean stays(Value v) {
        return residents.has(v) && (pinned[v.id()] || held[v.id()] > 0);
    }

    /**
     * The value to evict outside of a backward pass, among those that the nodes about to run do not
     * read: any of these is better than one that they read. A value is skipped if it could not be
     * better than the best so far even if no value around it were evicted.
     */
    private Optional<Value> leastRecent() {
        int best = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int kind = 0; kind < recent.kinds(); kind++) {
            for (int id = recent.first(kind); id >= 0; id = recent.after(id)) {
                var v = recent.value(id);
                double bytes = ResidentValues.bytes(v);
                if (bytes == 0) break;
                if (ledger.cost(ledger.maker(v)) / (bytes * sinceTouched(v)) > least) break;
                if (!mayGo(v) || awaited[id] > 0) continue;
                double score = score(v);
                if (score > least) continue;
                boolean earlier =
                        best < 0 || residents.number(v) < residents.number(recent.value(best));
                if (score == least && !earlier) continue;
                least = score;
                best = id;
            }
        }
        return best < 0 ? Optional.empty() : Optional.of(recent.value(best));
    }

    private double score(Value v) {
        int id = v.id();
        if (!alive(v) && awaited[id] == 0) return 0;
        double weight = awaited[id] > 0 ? AWAITED : 1;
        return weight * around(v) / (ResidentValues.bytes(v) * distance(v));
    }

    /** The time until {@code v} is read again, known or estimated. */
    private double distance(Value v) {
        if (awaited[v.id()] > 0) return Math.max(1, ledger.nextUse(v, running) - running);
        if (inBackward()) return position - ledger.lastUse(v, position) + 1;
        return sinceTouched(v);
    }

    private double sinceTouched(Value v) {
        return clock - touched[v.id()] + 1;
    }

    /** The cost of recomputing {@code v} and the evicted values around it. */
    private double around(Value v) {
        int maker = ledger.maker(v);
        double sum = ledger.cost(maker);
        int seen = 0;
        for (Value x : ledger.node(maker).inputs()) {
            if (groups.has(x) && seen < near.length) seen = meet(groups.group(x), seen);
        }
        int last = readers(v);
        for (int i = Math.max(0, last - READERS); i < last; i++) {
            Node reader = ledger.node(ledger.reader(v, i));
            for (Value y : reader.outputs()) {
                if (groups.has(y) && seen < near.length) seen = meet(groups.group(y), seen);
            }
        }
        for (int i = 0; i < seen; i++) sum += groups.cost(near[i]);
        return sum;
    }

    /** The number of nodes that may still read {@code v}. */
    private int readers(Value v) {
        return ledger.readersUpTo(v, inBackward() ? position : Integer.MAX_VALUE);
    }

    private int meet(int group, int seen) {
        for (int i = 0; i < seen; i++) if (near[i] == group) return seen;
        near[seen] = group;
        return seen + 1;
    }

    private void regroup() {
        returns = 0;
        groups.clear();
        int end = inBackward() ? position + 1 : ledger.size();
        for (int i = 0; i < end; i++) {
            var node = ledger.node(i);
            for (Value v : node.outputs()) {
                if (residents.has(v)) continue;
                groups.add(v, ledger.cost(i));
                for (Value x : node.inputs()) if (groups.has(x)) groups.join(x, v);
            }
        }
    }
}
