package dev.ebb.plan.loop;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.IterationCosts;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides where a loop saves checkpoints: for a stretch of iterations to be reversed, the iteration
 * whose state is saved next. The whole checkpointing schedule follows from this decision.
 */
public interface CheckpointSplits {

    /** The number of states that can be saved in addition to the initial one. */
    int levels();

    /** The number of iterations that can be on tape at once with {@code level} saved states. */
    int capacity(int level);

    /**
     * The iteration whose initial state is saved next to reverse iterations {@code [from, to)} with
     * {@code level} saved states, where there are more iterations than fit on tape and further
     * states may be saved; {@code from} if none is to be saved.
     */
    int middle(int from, int to, int level);

    /**
     * The approximate cost of the iterations that are run again without being taped to reverse
     * {@code [from, to)}, in iterations of average cost.
     */
    double ahead(int from, int to, int level);

    /**
     * The best known splits for iterations of these costs in this checkpoint area; never worse than
     * {@link EvenSplits}.
     */
    static CheckpointSplits of(IterationCosts costs, CheckpointArea area, int iterations) {
        var even = new EvenSplits(area, iterations);
        if (costs.isEven() || even.levels() == 0 || even.capacity(0) >= iterations) return even;
        var uneven = new UnevenSplits(costs, area, iterations, even);
        return uneven.work(uneven) < uneven.work(even) ? uneven : even;
    }

    /** The state to save next, as chosen by {@link #middle}, or {@code from} if none is needed. */
    default int next(int from, int to, int level) {
        if (level >= levels() || to - from <= capacity(level)) return from;
        return middle(from, to, level);
    }

    /** The iterations whose states the forward loop saves. */
    default List<Integer> positions(int iterations) {
        var positions = new ArrayList<Integer>();
        for (int from = 0; ; ) {
            int middle = next(from, iterations, positions.size());
            if (middle == from) return positions;
            positions.add(middle);
            from = middle;
        }
    }

    /** The first iteration of those at the end of {@code [.., to)} that are taped together. */
    default int taped(int from, int to, int level) {
        return Math.max(from, to - Math.min(to, capacity(level)));
    }

    /**
     * The number of forward iterations that are run to reverse {@code iterations}: each once to be
     * taped, and those that are run ahead to a state.
     */
    default long forwards(int iterations) {
        var sum = new long[] {iterations};
        aheads(iterations, (from, to) -> sum[0] += to - from);
        return sum[0];
    }

    /**
     * Calls {@code each} for every stretch of iterations that is run ahead, without being taped.
     */
    default void aheads(int iterations, Ahead each) {
        record Stretch(int from, int to, int level) {}
        var open = new ArrayDeque<Stretch>();
        if (iterations > 0) open.push(new Stretch(0, iterations, 0));
        while (!open.isEmpty()) {
            var s = open.pop();
            int middle = next(s.from, s.to, s.level);
            if (middle > s.from) {
                open.push(new Stretch(s.from, middle, s.level));
                open.push(new Stretch(middle, s.to, s.level + 1));
            } else {
                middle = taped(s.from, s.to, s.level);
                if (middle > s.from) open.push(new Stretch(s.from, middle, s.level));
            }
            each.run(s.from, middle);
        }
    }

    /** Iterations {@code [from, to)} are run ahead. */
    @FunctionalInterface
    interface Ahead {
        void run(int from, int to);
    }
}
