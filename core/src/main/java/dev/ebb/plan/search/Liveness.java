package dev.ebb.plan.search;

import dev.ebb.ir.Node;

import java.util.Arrays;
import java.util.Optional;

/**
 * Computes the memory and cost of a sequence of computations. A plan is just the order in which
 * nodes are computed, some more than once: each value is best freed after its last use before it is
 * recomputed, so the memory at every step follows from one backward pass. Unread computations are
 * dropped on the way, except the last remaining one of a node. Other works, inversions and
 * transfers, are kept only if another work reads their results.
 */
final class Liveness {
    private final SearchModel model;
    private final boolean[] live;
    private final boolean[] taken;
    private final int[] instances;
    private final boolean[] later;

    /**
     * The surviving sequence: {@code order[0..length)}, and the bytes alive during each of its
     * steps.
     */
    int[] order = new int[0];

    long[] memory = new long[0];
    int length;
    long peak;

    /** The cost of the recomputations, beyond computing every node once. */
    double extra;

    /** The number of replays so far; identifies the current sequence. */
    long replays;

    Liveness(SearchModel model) {
        this.model = model;
        live = new boolean[model.values.length];
        taken = new boolean[model.values.length];
        instances = new int[model.works];
        later = new boolean[model.works];
    }

    /** Replays {@code sequence[0..count)}; false if a work reads a value that is not resident. */
    boolean replay(int[] sequence, int count) {
        return replay(sequence, count, Long.MAX_VALUE);
    }

    /** The same; false also if the peak is above {@code bound}. */
    boolean replay(int[] sequence, int count, long bound) {
        if (order.length < count) {
            order = new int[count + count / 4 + 16];
            memory = new long[order.length];
        }
        replays++;
        System.arraycopy(model.pinned, 0, live, 0, live.length);
        Arrays.fill(instances, 0);
        Arrays.fill(later, false);
        int[] operands = model.operands;
        long[] bytes = model.bytes;
        int nodes = model.nodes.size();
        int[] ended = model.overwrites.ended;
        long now = model.pinnedBytes;
        for (int i = 0; i < count; i++) instances[sequence[i]]++;
        peak = model.paramBytes;
        if (peak > bound) return false;
        extra = 0;
        int at = order.length;
        for (int i = count - 1; i >= 0; i--) {
            int u = sequence[i];
            int writes = model.writesFrom[u];
            int end = model.operandsFrom[u + 1];
            boolean node = u < nodes;
            boolean needed = --instances[u] == 0 && !later[u] && node;
            for (int k = writes; k < end; k++) needed |= live[operands[k]];
            if (!needed) continue;
            if (later[u] && model.once[u]) return false;
            if (ended[u] >= 0 && later[ended[u]]) return false;
            if (later[u] || !node) extra += model.again[u];
            later[u] = true;
            long during = now;
            if (model.reuse[u].length > 0) {
                long saved = reused(u);
                if (saved < 0) return false;
                during -= saved;
            }
            for (int k = writes; k < end; k++) {
                int o = operands[k];
                if (live[o]) {
                    live[o] = false;
                    now -= bytes[o];
                } else {
                    during += bytes[o];
                }
            }
            for (int k = model.operandsFrom[u]; k < writes; k++) {
                int x = operands[k];
                if (!live[x]) {
                    live[x] = true;
                    now += bytes[x];
                    during += bytes[x];
                }
            }
            order[--at] = u;
            memory[at] = during;
            if (during > bound) return false;
            if (during > peak) peak = during;
        }
        for (int v = 0; v < live.length; v++) if (live[v] && !model.initial[v]) return false;
        length = order.length - at;
        System.arraycopy(order, at, order, 0, length);
        System.arraycopy(memory, at, memory, 0, length);
        return true;
    }

    /**
     * The bytes that node {@code u} saves by overwriting dying inputs; -1 if it must overwrite one
     * and cannot.
     */
    private long reused(int u) {
        long saved = 0;
        for (int from : model.overwrites.forced[u]) {
            if (live[from]) return -1;
            saved += model.bytes[from];
        }
        int[] pairs = model.overwrites.free[u];
        if (pairs.length == 2) return live[pairs[0]] ? saved : saved + model.bytes[pairs[0]];
        for (int k = 0; k < pairs.length; k += 2) {
            int from = pairs[k];
            int into = pairs[k + 1];
            if (taken[from] || taken[into] || live[from]) continue;
            saved += model.bytes[from];
            taken[from] = true;
            taken[into] = true;
        }
        for (int v : pairs) taken[v] = false;
        return saved;
    }

    /** The computation of {@code sequence} with the highest memory; none if nothing is computed. */
    static Optional<Node> largest(SearchModel model, int[] sequence) {
        var replay = new Liveness(model);
        replay.replay(sequence, sequence.length);
        int at = -1;
        for (int i = 0; i < replay.length; i++) {
            if (model.isTransfer(replay.order[i])) continue;
            if (at < 0 || replay.memory[i] > replay.memory[at]) at = i;
        }
        return at < 0 ? Optional.empty() : Optional.of(model.node(replay.order[at]));
    }

    /** A copy of the surviving sequence. */
    int[] sequence() {
        return Arrays.copyOf(order, length);
    }
}
