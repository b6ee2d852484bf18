package dev.ebb.plan.search;

import java.util.Arrays;

/**
 * What a sequence of computations takes. A plan is no more than the order in which nodes are
 * computed, some of them more than once: each value is best freed after its last use before it is
 * computed again, so the memory at every step follows from one walk backwards. Computations nobody
 * reads are dropped on the way, as long as one of each node is left. Other works, inversions and
 * transfers, stay only where something reads what they write.
 */
final class Liveness {
    private final Model model;
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

    /** What the recomputations count, beyond computing every node once. */
    double extra;

    Liveness(Model model) {
        this.model = model;
        live = new boolean[model.values.length];
        taken = new boolean[model.values.length];
        instances = new int[model.works];
        later = new boolean[model.works];
    }

    /**
     * Replays {@code sequence[0..count)}, an array of the caller's; false if it reads what is not
     * there.
     */
    boolean replay(int[] sequence, int count) {
        if (order.length < count) {
            order = new int[count + count / 4 + 16];
            memory = new long[order.length];
        }
        Arrays.fill(live, false);
        Arrays.fill(instances, 0);
        Arrays.fill(later, false);
        long now = 0;
        for (int v = 0; v < live.length; v++) {
            if (model.pinned[v]) {
                live[v] = true;
                now += model.bytes[v];
            }
        }
        for (int i = 0; i < count; i++) instances[sequence[i]]++;
        peak = model.paramBytes;
        extra = 0;
        int at = order.length;
        for (int i = count - 1; i >= 0; i--) {
            int u = sequence[i];
            boolean node = u < model.nodes.size();
            boolean needed = --instances[u] == 0 && !later[u] && node;
            for (int o : model.out[u]) needed |= live[o];
            if (!needed) continue;
            if (later[u] && model.once[u]) return false;
            if (later[u] || !node) extra += model.again[u];
            later[u] = true;
            long during = now;
            for (int o : model.out[u]) if (!live[o]) during += model.bytes[o];
            for (int x : model.in[u]) if (!live[x]) during += model.bytes[x];
            if (model.reuse[u].length > 0) {
                long saved = reused(u);
                if (saved < 0) return false;
                during -= saved;
            }
            for (int o : model.out[u]) {
                if (live[o]) {
                    live[o] = false;
                    now -= model.bytes[o];
                }
            }
            for (int x : model.in[u]) {
                if (!live[x]) {
                    live[x] = true;
                    now += model.bytes[x];
                }
            }
            order[--at] = u;
            memory[at] = during;
            if (during > peak) peak = during;
        }
        for (int v = 0; v < live.length; v++) if (live[v] && !model.initial[v]) return false;
        length = order.length - at;
        System.arraycopy(order, at, order, 0, length);
        System.arraycopy(memory, at, memory, 0, length);
        return true;
    }

    /**
     * The bytes that node {@code u} saves by writing over dying inputs; -1 if it must and cannot.
     */
    private long reused(int u) {
        int[] pairs = model.reuse[u];
        long saved = 0;
        for (int k = 0; k < pairs.length; k += 2) {
            int from = pairs[k];
            int into = pairs[k + 1];
            if (model.place[into] >= 0) {
                if (model.place[into] != from) continue;
                if (live[from]) return -1;
                saved += model.bytes[from];
                taken[from] = true;
                taken[into] = true;
            }
        }
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

    /** A copy of the surviving sequence. */
    int[] sequence() {
        return Arrays.copyOf(order, length);
    }
}
