package dev.ebb.plan;

import dev.ebb.plan.loop.ChainStep;
import dev.ebb.plan.loop.Revolve;
import dev.ebb.plan.schedule.Cost;
import dev.ebb.plan.schedule.Problem;
import dev.ebb.plan.schedule.Schedule;
import dev.ebb.plan.search.Ordering;
import dev.ebb.plan.search.Replay;
import dev.ebb.plan.search.ScheduleWriter;
import dev.ebb.plan.search.SearchModel;

import java.util.Arrays;

/**
 * Reverses the regions as a chain of equal steps with a fixed number of saved states, the input
 * being the first: optimal for such chains (see {@link Revolve}), valid for any graph, since values
 * that a later step still reads are kept. Each loop is reversed with the same number of states.
 *
 * @param offloaded the number of further states of a loop that are kept in the last place that the
 *     budget names
 */
public record Binomial(int slots, int offloaded) implements Planner {

    /** Keeps all states in memory. */
    public Binomial(int slots) {
        this(slots, 0);
    }

    public Binomial {
        if (offloaded < 0)
            throw new IllegalArgumentException(
                    "the number of states in a place must not be negative, it is " + offloaded);
        if (slots < 1)
            throw new IllegalArgumentException(
                    "the initial state needs a slot: " + slots + " are too few");
    }

    @Override
    public Schedule plan(Problem problem, Cost cost) {
        var model = new SearchModel(problem, cost);
        var ordering = new Ordering(model);
        return ScheduleWriter.of(
                model,
                Replay.cleaned(model, ordering.settle(new Walk(model, ordering).run(slots))));
    }

    /** The unit of a loop is an iteration; it is divided only if it has regions of its own. */
    @Override
    public Schedule planBody(Problem problem, Cost cost) {
        return RegionStages.isDivided(problem.graph())
                ? plan(problem, cost)
                : new StoreAll().plan(problem, cost);
    }

    @Override
    public int states(int iterations) {
        return Math.max(1, Math.min(slots, iterations));
    }

    @Override
    public int offloaded(int iterations) {
        return Math.max(0, Math.min(offloaded, iterations - states(iterations)));
    }

    @Override
    public String toString() {
        return "Binomial[slots=" + slots + (offloaded == 0 ? "" : ", offloaded=" + offloaded) + "]";
    }

    /** Follows the steps of a chain schedule through the nodes of a graph. */
    private static final class Walk {
        private final SearchModel model;
        private final int[] order;
        private final int[] stage;
        private final int stages;
        private final boolean[] done;
        private int[] sequence = new int[64];
        private int length;
        private int next;

        Walk(SearchModel model, Ordering ordering) {
            this.model = model;
            order = ordering.plain();
            done = new boolean[order.length];
            stage = new int[order.length];
            var all = RegionStages.of(model.problem.graph());
            stages = all.count();
            for (int u = 0; u < stage.length; u++) {
                stage[u] =
                        ordering.isLate(u) ? -1 : all.byNode().getOrDefault(model.nodes.get(u), -1);
            }
            for (int u : order) if (readsBackwardHalf(u)) stage[u] = -1;
        }

        /**
         * Whether node {@code u} of the forward half reads a gradient, as in a second derivative;
         * it then runs once, after that gradient.
         */
        private boolean readsBackwardHalf(int u) {
            for (int x : model.in[u]) {
                int p = model.maker(x);
                if (p >= 0 && stage[p] < 0) return true;
            }
            return false;
        }

        int[] run(int slots) {
            if (stages > 0) {
                for (ChainStep step : Revolve.schedule(stages, Math.min(slots, stages)).steps()) {
                    switch (step) {
                        case ChainStep.Save _ -> {}
                        case ChainStep.Forward(int k) -> forward(k);
                        case ChainStep.Tape(int k) -> forward(k);
                        case ChainStep.Backward(int k) -> backward(k);
                    }
                }
            }
            for (int u : order) if (!done[u]) append(u);
            return Arrays.copyOf(sequence, length);
        }

        private void forward(int k) {
            for (int u : order) if (stage[u] == k && !(done[u] && model.once[u])) append(u);
        }

        /** Runs the nodes of the backward half that read no stage before {@code k}. */
        private void backward(int k) {
            for (; next < order.length; next++) {
                int u = order[next];
                if (stage[u] >= 0) continue;
                for (int x : model.in[u]) {
                    int p = model.producer[x];
                    if (p >= 0 && ((stage[p] >= 0 && stage[p] < k) || !done[p])) return;
                }
                append(u);
            }
        }

        private void append(int u) {
            if (length == sequence.length) sequence = Arrays.copyOf(sequence, 2 * length);
            sequence[length++] = u;
            done[u] = true;
        }
    }
}
