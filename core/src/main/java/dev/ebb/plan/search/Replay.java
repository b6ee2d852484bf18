package dev.ebb.plan.search;

import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Builds a sequence from the set of values to keep; every simple strategy becomes a schedule in
 * this way. The forward half runs in order; before each node of the backward half, its operands
 * that are neither kept nor resident are recomputed from the nearest resident values.
 */
public final class Replay {
    private final SearchModel model;
    private final Ordering ordering;
    private final boolean[] keep;
    private final boolean[] fresh;
    private int[] sequence;
    private int length;
    private final int[] inverse;
    private final boolean[] opened;
    private boolean circular;

    public Replay(SearchModel model, Ordering ordering) {
        this.model = model;
        this.ordering = ordering;
        keep = new boolean[model.values.length];
        fresh = new boolean[model.values.length];
        sequence = new int[2 * model.nodes.size() + 16];
        inverse = new int[model.values.length];
        Arrays.fill(inverse, -1);
        opened = new boolean[model.works];
    }

    /** Recomputed values stay to their last use. */
    public int[] keeping(Set<Value> kept) {
        mark(kept);
        for (int u : ordering.plain()) run(u);
        return finished();
    }

    /**
     * As {@link #keeping}, but values are rebuilt by inverses if possible: of a chain of invertible
     * nodes only the last value is kept, and the others are rebuilt backwards from it. None if an
     * inverse needs the value it is to rebuild, or one that has been overwritten.
     */
    Optional<int[]> inverting() {
        var kept = new HashSet<Value>();
        int n = model.nodes.size();
        for (int k = 0; k < model.problem.inversions().size(); k++) {
            var inversion = model.problem.inversions().get(k);
            if (!inversion.undone().op().traits().contains(Trait.ALONE)) continue;
            kept.addAll(inversion.undone().outputs());
            inverse[model.out[n + k][0]] = n + k;
        }
        for (int v = 0; v < model.values.length; v++)
            if (inverse[v] >= 0) kept.remove(model.values[v]);
        mark(kept);
        for (int u : ordering.plain()) {
            run(u);
            if (circular) return Optional.empty();
        }
        var settled = ordering.settle(Arrays.copyOf(sequence, length));
        var replay = new Liveness(model);
        return replay.replay(settled, settled.length)
                ? Optional.of(replay.sequence())
                : Optional.empty();
    }

    /** Recomputed values are freed when the backward half moves on to another region. */
    public int[] keepingWithinRegions(Set<Value> kept) {
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
                            || p >= model.nodes.size()
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
     * Recomputes {@code x} and all it needs, deepest first; with an explicit stack, since chains
     * are long.
     */
    private void recall(int x) {
        if (keep[x] || fresh[x]) return;
        var open = new ArrayDeque<int[]>();
        open(x, open);
        while (!open.isEmpty() && !circular) {
            int[] top = open.peek();
            int u = top[0];
            if (top[1] < model.in[u].length) {
                int y = model.in[u][top[1]++];
                if (!keep[y] && !fresh[y]) open(y, open);
            } else {
                open.pop();
                opened[u] = false;
                if (!fresh[model.out[u][0]]) append(u);
                for (int o : model.out[u]) fresh[o] = true;
            }
        }
    }

    private void open(int x, ArrayDeque<int[]> open) {
        int way = inverse[x] >= 0 ? inverse[x] : model.producer[x];
        circular |= opened[way];
        opened[way] = true;
        open.push(new int[] {way, 0});
    }

    private int[] finished() {
        return cleaned(model, ordering.settle(Arrays.copyOf(sequence, length)));
    }

    /** The sequence without recomputations that nothing reads. */
    public static int[] cleaned(SearchModel model, int[] sequence) {
        var replay = new Liveness(model);
        if (!replay.replay(sequence, sequence.length)) {
            throw new IllegalStateException(
                    "a strategy made a sequence that reads what is not there");
        }
        return replay.sequence();
    }
}
