package dev.ebb.plan;

import dev.ebb.ir.Pace;

import java.util.ArrayList;
import java.util.List;

/**
 * Where to save the next state on the way through rounds that are to be reversed. The rest of a
 * checkpointing schedule follows from that.
 */
@FunctionalInterface
public interface Splits {

    /** The longest loop whose declared cost is looked at; a longer one is split evenly. */
    int LONGEST_UNEVEN = 20_000;

    /**
     * The first round of the second part when rounds {@code [from, to)}, at least two of them, are
     * reversed with at least two slots, of which the state of {@code from} has one.
     */
    int middle(int from, int to, int slots);

    /** The best for rounds that all cost the same. */
    static Splits even() {
        return (from, to, slots) -> from + (int) Revolve.split(to - from, slots);
    }

    /** The best that is known for rounds of this pace; never worse than {@link #even}. */
    static Splits of(Pace pace, int slots) {
        if (pace.isEven() || slots < 2 || pace.weights().size() > LONGEST_UNEVEN) return even();
        var uneven = new Uneven(pace, slots);
        return uneven.work(uneven, slots) < uneven.work(even(), slots) ? uneven : even();
    }

    /** The rounds, besides the first, whose states are saved on the first way through. */
    default List<Integer> positions(int times, int slots) {
        var positions = new ArrayList<Integer>();
        int from = 0;
        for (int left = slots; left > 1 && times - from > 1; left--) {
            from = middle(from, times, left);
            positions.add(from);
        }
        return positions;
    }
}
