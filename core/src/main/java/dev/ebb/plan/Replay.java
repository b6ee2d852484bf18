package dev.ebb.plan;

import dev.ebb.ir.Value;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Set;

/**
 * Builds a sequence from the set of values to keep: the one way in which every simple strategy
 * becomes a schedule. The forward half runs in order; before each node of the backward half, what
 * it reads and is neither kept nor there yet is computed again, from the nearest values that are.
 */
final class Replay {
    private final Model model;
    private final Ordering ordering;
    private final boolean[] keep;
    private final boolean[] fresh;
    private int[] sequence;
    private int length;

    Replay(Model model, Ordering ordering) {
        this.model = model;
        this.ordering = ordering;
        keep = new boolean[model.values.length];
        fresh = new boolean[model.values.length];
        sequence = new int[2 * model.nodes.size() + 16];
    }

    /** What is computed again stays to its last use. */
    int[] keeping(Set<Value> kept) {
        mark(kept);
        for (int u : ordering.plain()) run(u);
        return finished();
    }

    /** What is computed again goes when the backward half moves on to another region. */
    int[] keepingWithinRegions(Set<Value> kept) {
        mark(kept);
        var region = dev.ebb.ir.Region.TOP;
        for (int u : ordering.plain()) {
            var node = model.nodes.get(u);
            if (node.reverse() && (node.region().isTop() || !node.region().equals(region))) {
                Arrays.fill(fresh, false);
                region = node.region();
            }
            run(u);
        }
        return finished();
    }

    private void mark(Set<Value> kept) {
        for (int v = 0; v < keep.length; v++) {
            int p = model.producer[v];
            keep[v] =
                    p < 0
                            || model.once[p]
                            || ordering.isLate(p)
                            || model.nodes.get(p).reverse()
                            || kept.contains(model.values[v]);
        }
    }

    private void run(int u) {
        if (model.nodes.get(u).reverse() && !ordering.isLate(u))
            for (int x : model.in[u]) recall(x);
        append(u);
    }

    private void append(int u) {
        if (length == sequence.length) sequence = Arrays.copyOf(sequence, 2 * length);
        sequence[length++] = u;
    }

    /**
     * Computes {@code x} again with all that takes, deepest first; a stack of its own, since chains
     * are long.
     */
    private void recall(int x) {
        if (keep[x] || fresh[x]) return;
        var open = new ArrayDeque<int[]>();
        open.push(new int[] {model.producer[x], 0});
        while (!open.isEmpty()) {
            int[] top = open.peek();
            int u = top[0];
            if (top[1] < model.in[u].length) {
                int y = model.in[u][top[1]++];
                if (!keep[y] && !fresh[y]) open.push(new int[] {model.producer[y], 0});
            } else {
                open.pop();
                if (!fresh[model.out[u][0]]) append(u);
                for (int o : model.out[u]) fresh[o] = true;
            }
        }
    }

    private int[] finished() {
        return cleaned(model, ordering.settle(Arrays.copyOf(sequence, length)));
    }

    /** The sequence without recomputations that nothing reads. */
    static int[] cleaned(Model model, int[] sequence) {
        var replay = new Liveness(model);
        if (!replay.replay(sequence, sequence.length)) {
            throw new IllegalStateException(
                    "a strategy made a sequence that reads what is not there");
        }
        return replay.sequence();
    }
}
