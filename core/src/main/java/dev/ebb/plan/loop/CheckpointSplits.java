package dev.ebb.plan.loop;

import dev.ebb.ir.LoopMemory;
import dev.ebb.ir.Pace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the next checkpoint of a loop goes: given a stretch of rounds to be reversed, the round
 * whose state is saved next. The rest of a checkpointing schedule follows from that.
 */
public interface CheckpointSplits {

    /** How many states can be saved beside the one a loop begins with. */
    int levels();

    /** How many rounds can be taped at once beside {@code level} saved states. */
    int capacity(int level);

    /**
     * The round whose first state is saved next, when rounds {@code [from, to)}, more than can be
     * taped, are reversed beside {@code level} saved states, fewer than there may be; {@code from}
     * if none is.
     */
    int middle(int from, int to, int level);

    /**
     * About what running ahead costs in reversing {@code [from, to)}, in rounds of average cost.
     */
    double ahead(int from, int to, int level);

    /** The best that is known for rounds of this pace in this room; never worse than evenly. */
    static CheckpointSplits of(Pace pace, LoopMemory room, int rounds) {
        var even = new EvenSplits(room, rounds);
        if (pace.isEven() || even.levels() == 0 || even.capacity(0) >= rounds) return even;
        var uneven = new UnevenSplits(pace, room, rounds, even);
        return uneven.work(uneven) < uneven.work(even) ? uneven : even;
    }

    /** The state to save next as {@link #middle} has it, or {@code from} where none is needed. */
    default int next(int from, int to, int level) {
        if (level >= levels() || to - from <= capacity(level)) return from;
        return middle(from, to, level);
    }

    /** The rounds whose states are saved on the first way through. */
    default List<Integer> positions(int rounds) {
        var positions = new ArrayList<Integer>();
        for (int from = 0; ; ) {
            int middle = next(from, rounds, positions.size());
            if (middle == from) return positions;
            positions.add(middle);
            from = middle;
        }
    }

    /** The first of the rounds at the end of {@code [.., to)} that are taped together. */
    default int taped(int from, int to, int level) {
        return Math.max(from, to - Math.min(to, capacity(level)));
    }

    /**
     * How many rounds run forward in all when {@code rounds} are reversed: each once to be taped,
     * and those that are run ahead.
     */
    default long forwards(int rounds) {
        var sum = new long[] {rounds};
        aheads(rounds, (from, to) -> sum[0] += to - from);
        return sum[0];
    }

    /** Tells of every stretch of rounds that is run ahead. */
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
