package dev.ebb.plan.search;

import dev.ebb.plan.schedule.Binding;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Lower bounds of memory and time that hold for every plan, whatever its order and recomputations.
 *
 * <p>Memory: some step must hold a node's inputs and outputs at once. Time: at the moment a node
 * {@code w} is computed for the first time, all it depends on has been computed and nothing that
 * depends on it has. A value computed before and read after that moment is either resident then, or
 * recomputed. So under a budget, choosing the values to free at least cost is a knapsack problem,
 * whose fractional relaxation is a lower bound; the largest over many {@code w} bounds every plan.
 */
public final class LowerBounds {
    /** The number of moments examined in a graph too large to examine all. */
    private static final int MOMENTS = 400;

    private final SearchModel model;
    private final boolean[] above;
    private final boolean[] below;
    private final boolean[] read;

    private LowerBounds(SearchModel model) {
        this.model = model;
        above = new boolean[model.nodes.size()];
        below = new boolean[model.nodes.size()];
        read = new boolean[model.values.length];
    }

    /** The least peak: parameters, or the largest node with its operands. */
    public static long peak(SearchModel model) {
        long most = model.paramBytes;
        for (int u = 0; u < model.nodes.size(); u++) most = Math.max(most, alone(model, u));
        return most;
    }

    /**
     * The bytes of node {@code u} with its operands and the parameters that are always resident.
     */
    static long alone(SearchModel model, int u) {
        var bounds = new LowerBounds(model);
        for (int x : model.in[u]) bounds.read[x] = true;
        long sum = bounds.written(u);
        for (int x : model.in[u]) if (bounds.isOwn(x)) sum += model.bytes[x];
        for (int p = 0; p < model.params; p++)
            if (bounds.read[p] || bounds.stays(p)) sum += model.bytes[p];
        return sum;
    }

    /**
     * A lower bound on the cost that recomputation adds to computing everything once, under {@code
     * budget}.
     */
    public static double extra(SearchModel model, long budget, int[] order) {
        // transfers can overlap with computation
        if (model.mayMove()) return 0;
        var bounds = new LowerBounds(model);
        double best = 0;
        for (int w : moments(model, order)) best = Math.max(best, bounds.at(w, budget));
        return best;
    }

    /** The step of the highest memory when everything is kept. */
    private static int[] moments(SearchModel model, int[] order) {
        if (order.length <= 2 * MOMENTS) return order;
        var replay = new Liveness(model);
        replay.replay(order, order.length);
        return IntStream.range(0, order.length)
                .boxed()
                .sorted(Comparator.comparingLong((Integer i) -> -replay.memory[i]))
                .limit(MOMENTS)
                .mapToInt(i -> order[i])
                .toArray();
    }

    /** Whether {@code x} is computed, and not into the memory of a parameter, which stays. */
    private boolean isOwn(int x) {
        return x >= model.params && model.place[x] < 0;
    }

    private boolean stays(int p) {
        if (!model.initial[p]) return false;
        return model.pinned[p] || !(model.problem.bindings().get(p) instanceof Binding.Consumed);
    }

    /**
     * A lower bound on the bytes that node {@code w} adds, with in-place writes wherever possible.
     */
    private long written(int w) {
        long sum = 0;
        for (int o : model.out[w]) if (isOwn(o)) sum += model.bytes[o];
        for (int k = 1; k < model.reuse[w].length; k += 2)
            if (isOwn(model.reuse[w][k])) sum -= model.bytes[model.reuse[w][k]];
        return Math.max(0, sum);
    }

    /** Marks the nodes on which {@code w} depends and those that depend on it. */
    private void mark(int w) {
        Arrays.fill(above, false);
        Arrays.fill(below, false);
        Arrays.fill(read, false);
        for (int x : model.in[w]) read[x] = true;
        above[w] = true;
        for (int u = w; u >= 0; u--) {
            if (!above[u]) continue;
            for (int x : model.in[u]) if (model.maker(x) >= 0) above[model.maker(x)] = true;
        }
        above[w] = false;
        below[w] = true;
        for (int u = w + 1; u < below.length; u++) {
            for (int x : model.in[u]) below[u] |= model.maker(x) >= 0 && below[model.maker(x)];
        }
        below[w] = false;
    }

    private boolean readLater(int v) {
        if (model.pinned[v]) return true;
        for (int r : model.readers[v]) if (below[r]) return true;
        return false;
    }

    /** The least cost of restoring an output of {@code u}, in any way. */
    private double cheapest(int u) {
        double least = model.once[u] ? Double.POSITIVE_INFINITY : model.again[u];
        for (int o : model.out[u])
            for (int way : model.ways[o]) least = Math.min(least, model.again[way]);
        return least;
    }

    private double at(int w, long budget) {
        mark(w);
        double excess = (double) written(w) - budget;
        for (int p = 0; p < model.params; p++) {
            if (read[p] || stays(p) || readLater(p)) excess += model.bytes[p];
        }
        var choices = new ArrayList<double[]>();
        for (int u = 0; u < w; u++) {
            if (!above[u]) continue;
            long bytes = 0;
            for (int o : model.out[u]) {
                if (!isOwn(o)) continue;
                if (read[o]) excess += model.bytes[o];
                else if (readLater(o)) bytes += model.bytes[o];
            }
            excess += bytes;
            double cheapest = cheapest(u);
            if (bytes > 0 && cheapest < Double.POSITIVE_INFINITY)
                choices.add(new double[] {cheapest, bytes});
        }
        if (excess <= 0) return 0;
        choices.sort((a, b) -> Double.compare(a[0] * b[1], b[0] * a[1]));
        double cost = 0;
        for (double[] choice : choices) {
            if (excess <= choice[1]) return cost + choice[0] * excess / choice[1];
            cost += choice[0];
            excess -= choice[1];
        }
        return cost;
    }
}
