package dev.ebb.plan.loop;

import dev.ebb.ir.CheckpointArea;
import dev.ebb.ir.IterationCosts;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides where a loop saves checkpoints: for a stretch of iterations ('rounds') to be reversed,
 * the round whose state is saved next. The whole checkpointing schedule follows from this decision.
 */
public interface CheckpointSplits {

    /** The number of states that can be saved in addition to the initial one. */
    int levels();

    /** The number of rounds that can be on tape at once with {@code level} saved states. */
    int capacity(int level);

    /**
     * The round whose initial state is saved next to reverse rounds {@code [from, to)} with {@code
     * level} saved states, where there are more rounds than fit on tape and further states may be
     * saved; {@code from} if none is to be saved.
     */
    int middle(int from, int to, int level);

    /**
     * The approximate cost of the rounds that are run again without being taped to reverse {@code
     * [from, to)}, in rounds of average cost.
     */
    double ahead(int from, int to, int level);

    /**
     * The best known splits for rounds of this pace in this memory; never worse than {@link
     * EvenSplits}.
     */
    static CheckpointSplits of(IterationCosts costs, CheckpointArea area, int rounds) {
        var even = new EvenSplits(area, rounds);
        if (costs.isEven() || even.levels() == 0 || even.capacity(0) >= rounds) return even;
        var uneven = new UnevenSplits(costs, area, rounds, even);
        return uneven.work(uneven) < uneven.work(even) ? uneven : even;
    }

    /** The state to save next as {@link #middle} has it, or {@code from} where none is needed. */
    default int next(int from, int to, int level) {
        if (level >= levels() || to - from <= capacity(level)) return from;
        return middle(from, to, level);
    }

    /** The rounds whose states the forward loop saves. */
    default List<Integer> positions(int rounds) {
        var positions = new ArrayList<Integer>();
        for (int from = 0; ; ) {
            int middle = next(from, rounds, positions.size());
            if (middle == from) return positions;
            positions.add(middle);
            from = middle;
        }
    }

    /** The first round of those at the end of {@code [.., to)} that are taped together. */
    default int taped(int from, int to, int level) {
        return Math.max(from, to - Math.min(to, capacity(level)));
    }

    /**
     * The number of forward rounds that are run to reverse {@code rounds}: each once to be taped,
     * and those that are run ahead to a state.
     */
    default long forwards(int rounds) {
        var sum = new long[] {rounds};
        aheads(rounds, (from, to) -> sum[0] += to - from);
        return sum[0];
    }

    /** Calls {@code each} for every stretch of rounds that is run ahead, without being taped. */
    default void aheads(int rounds, Ahead each) {
        record Stretch(int from, int to, int level) {}
        var open = new ArrayDeque<Stretch>();
        if (rounds > 0) open.push(new Stretch(0, rounds, 0));
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

    /** Rounds {@code [from, to)} are run ahead. */
    @FunctionalInterface
    interface Ahead {
        void run(int from, int to);
    }
}
