package dev.ebb.exec;

import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.Layout;
import dev.ebb.plan.Sizes;
import dev.ebb.plan.Step;

import java.util.Arrays;

/**
 * Counts, while a program runs, the bytes it holds by what they are for. It goes by the steps that
 * really run and the sizes of the buffers they write, knows nothing of the layout's slots, and
 * allocates nothing while counting.
 */
final class Meter {
    private static final int KINDS = Category.values().length;

    /** What changes with the actions: pairs of a category and a number of bytes. */
    private final int[] category;

    private final long[] change;

    /** Action {@code i} makes the changes {@code [end[i - 1], end[i])}. */
    private final int[] end;

    private final long[] start = new long[KINDS];
    private final long[] now = new long[KINDS];
    private final long[] peak = new long[KINDS];

    /** What all categories held together while each action ran. */
    private final long[] held;

    private int done;
    private int length;
    private int actions;

    Meter(Layout layout) {
        var problem = layout.schedule().problem();
        var categories = Category.of(problem);
        var away = layout.schedule().away();
        for (Value p : problem.graph().params())
            if (!away.contains(p)) start[categories.at(p).ordinal()] += Sizes.CACHE_LINES.of(p);
        var steps = layout.schedule().steps();
        int most = 0;
        for (Step step : steps) most += most(step);
        category = new int[most];
        change = new long[most];
        end = new int[steps.size()];
        held = new long[steps.size()];
        for (Step step : steps) {
            switch (step) {
                case Step.Work work -> {
                    for (var reuse : work.reuses()) change(categories, reuse.from(), -1);
                    for (Value v : work.node().outputs()) change(categories, v, 1);
                    end[actions++] = length;
                }
                case Step.Fetch(var v) -> {
                    change(categories, v, 1);
                    end[actions++] = length;
                }
                case Step.Offload _ -> end[actions++] = length;
                case Step.Free(var v) -> change(categories, v, -1);
            }
        }
    }

    private static int most(Step step) {
        return switch (step) {
            case Step.Work work -> work.node().outputs().size() + work.reuses().size();
            case Step.Free _, Step.Fetch _ -> 1;
            case Step.Offload _ -> 0;
        };
    }

    private void change(Table<Value, Category> categories, Value v, int sign) {
        category[length] = categories.at(v).ordinal();
        change[length++] = sign * Sizes.CACHE_LINES.of(v);
    }

    /** A run begins: the parameters are in memory. */
    void begin() {
        System.arraycopy(start, 0, now, 0, KINDS);
        System.arraycopy(start, 0, peak, 0, KINDS);
        done = 0;
        actions = 0;
    }

    /** The next computation or transfer runs. */
    void step() {
        int to = end[actions++];
        for (; done < to; done++) now[category[done]] += change[done];
        long all = 0;
        for (int k = 0; k < KINDS; k++) {
            peak[k] = Math.max(peak[k], now[k]);
            all += now[k];
        }
        held[actions - 1] = all;
    }

    /** The bytes held while each action of the latest run ran. */
    long[] held() {
        return Arrays.copyOf(held, actions);
    }

    /** The most bytes of each category at once since the run began. */
    long[] peaks() {
        return Arrays.copyOf(peak, KINDS);
    }
}
