package dev.ebb.plan;

import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * What no plan can undercut, whatever its order and however often it computes a node again.
 *
 * <p>Memory: some step must hold a node's inputs and outputs at once. Time: at the moment a node {@code w} is
 * computed for the first time, all it depends on has been computed and nothing that depends on it has. A
 * value made before and read after either is resident at that moment, or is computed again. So under a
 * budget the cheapest choice of values to let go, a knapsack, costs at least its fractional relaxation; the
 * best over all {@code w} bounds every plan.
 */
final class Bounds {
    private Bounds() {}

    /** The least peak: parameters, or the largest node with its operands. */
    static long peak(Model model) {
        long most = model.paramBytes;
        for (int u = 0; u < model.in.length; u++) most = Math.max(most, alone(model, u));
        return most;
    }

    /** The bytes that node {@code u} takes with its operands and what can never go away. */
    static long alone(Model model, int u) {
        long sum = 0;
        var counted = new BitSet();
        for (int x : model.in[u]) counted.set(x);
        for (int p = 0; p < model.params; p++) {
            if (!(model.problem.bindings().get(p) instanceof Binding.Consumed) || model.pinned[p]) counted.set(p);
        }
        for (int x = counted.nextSetBit(0); x >= 0; x = counted.nextSetBit(x + 1)) sum += model.bytes[x];
        long written = 0;
        for (int o : model.out[u]) written += model.bytes[o];
        long over = 0;
        for (int k = 0; k < model.reuse[u].length; k += 2) over += model.bytes[model.reuse[u][k + 1]];
        return sum + Math.max(0, written - over);
    }

    /** The least that recomputing adds to the cost of computing everything once, under {@code budget}. */
    static double extra(Model model, long budget) {
        int n = model.nodes.size();
        var below = new BitSet[n];
        for (int u = 0; u < n; u++) {
            below[u] = new BitSet(u);
            for (int x : model.in[u]) {
                int p = model.producer[x];
                if (p >= 0) {
                    below[u].or(below[p]);
                    below[u].set(p);
                }
            }
        }
        double best = 0;
        for (int w = 0; w < n; w++) best = Math.max(best, at(model, below, w, budget));
        return best;
    }

    private static double at(Model model, BitSet[] below, int w, long budget) {
        long excess = -budget;
        var reads = new BitSet();
        for (int x : model.in[w]) reads.set(x);
        for (int p = 0; p < model.params; p++) {
            boolean stays = reads.get(p) || !(model.problem.bindings().get(p) instanceof Binding.Consumed);
            for (int r : model.readers[p]) stays |= below[r].get(w);
            if (stays) excess += model.bytes[p];
        }
        long written = 0;
        for (int o : model.out[w]) written += model.bytes[o];
        for (int k = 0; k < model.reuse[w].length; k += 2) written -= model.bytes[model.reuse[w][k + 1]];
        excess += Math.max(0, written);
        var goable = new java.util.ArrayList<double[]>();
        for (int u = below[w].nextSetBit(0); u >= 0; u = below[w].nextSetBit(u + 1)) {
            long bytes = 0;
            boolean fixed = model.once[u];
            long needed = 0;
            for (int o : model.out[u]) {
                boolean later = false;
                for (int r : model.readers[o]) later |= below[r].get(w);
                if (reads.get(o)) needed += model.bytes[o];
                else if (later) bytes += model.bytes[o];
            }
            excess += needed + bytes;
            if (!fixed && bytes > 0) goable.add(new double[] {model.cost[u], bytes});
        }
        if (excess <= 0) return 0;
        goable.sort((a, b) -> Double.compare(a[0] * b[1], b[0] * a[1]));
        double cost = 0;
        double left = excess;
        for (double[] g : goable) {
            if (left <= g[1]) return cost + g[0] * left / g[1];
            cost += g[0];
            left -= g[1];
        }
        return cost;
    }

    /** The node that takes the most memory all by itself. */
    static int largest(Model model) {
        return IntStream.range(0, model.nodes.size())
                .boxed()
                .max((a, b) -> Long.compare(alone(model, a), alone(model, b)))
                .orElse(-1);
    }
}
