package dev.ebb.plan.search;

import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.Problem;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Decides where in a sequence transfers start. They overlap with computation, so a value is
 * offloaded as soon as it is computed, and prefetched as early as memory allows and as the saved
 * wait is worth.
 */
final class Transfers {
    private final SearchModel model;
    private final int[] sequence;

    private Transfers(SearchModel model, int[] sequence) {
        this.model = model;
        this.sequence = sequence.clone();
    }

    /**
     * The values worth a transfer, by their index in {@code values}; workspace is not, as no node
     * reads it.
     */
    static int[] movable(Problem problem, List<Value> values) {
        var read = new HashSet<>(problem.graph().results());
        for (Node node : problem.graph().nodes()) read.addAll(node.inputs());
        for (Node node : problem.graph().nodes()) {
            // communication with another rank may still write to its memory
            if (node.op().traits().contains(Trait.BESIDE)) node.outputs().forEach(read::remove);
        }
        return IntStream.range(0, values.size())
                .filter(v -> problem.bytes(values.get(v)) >= Place.SMALLEST)
                .filter(v -> read.contains(values.get(v)))
                .toArray();
    }

    /**
     * A sequence of nodes with the mandatory transfers: parameters that start outside the arena are
     * fetched before their first use, results that end there are stored.
     */
    static int[] complete(SearchModel model, int[] nodes) {
        var there = model.initial.clone();
        var all = new int[nodes.length + 2 * model.values.length];
        int length = 0;
        for (int u : nodes) {
            for (int x : model.in[u]) {
                if (!there[x]) all[length++] = model.producer[x];
                there[x] = true;
            }
            all[length++] = u;
            for (int o : model.out[u]) {
                there[o] = true;
                if (model.endsAway(o)) all[length++] = model.store(o, model.home[o]);
            }
        }
        return Arrays.copyOf(all, length);
    }

    /**
     * The same sequence, with transfers started as early as {@code bound} bytes of memory allow.
     */
    static int[] eager(SearchModel model, int[] sequence, long bound) {
        var transfers = new Transfers(model, sequence);
        for (int i = 0; i < sequence.length; i++) transfers.storeEarly(i);
        return Prefetch.in(model, transfers.sequence, bound);
    }

    private void storeEarly(int i) {
        int u = sequence[i];
        if (!model.isStore(u)) return;
        int v = model.in[u][0];
        int ended = model.ended(u);
        int to = i;
        while (to > 0 && sequence[to - 1] != ended && !writes(sequence[to - 1], v)) to--;
        if (to == 0 && !model.initial[v]) return;
        System.arraycopy(sequence, to, sequence, to + 1, i - to);
        sequence[to] = u;
    }

    private boolean writes(int u, int v) {
        for (int o : model.out[u]) if (o == v) return true;
        return false;
    }
}
