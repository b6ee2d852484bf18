package dev.ebb.exec.program;

import dev.ebb.exec.Category;
import dev.ebb.exec.loop.BoundSteps;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Step;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts, while a program runs, the bytes it holds by what they are for. It goes by the steps that
 * really run and by the memory that they were bound to, knows nothing of the sizes and slots that
 * were planned, and allocates nothing while counting.
 */
final class MemoryMeter {
    private static final int KINDS = Category.values().length;
    private static final long LINE = 64;

    /** What each value that is there takes. */
    private final Map<Value, Long> bytes = new HashMap<>();

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

    MemoryMeter(Layout layout, BoundSteps bound) {
        var problem = layout.schedule().problem();
        var categories = Category.of(problem);
        for (Value p : problem.graph().params()) {
            bound.initial().find(p).ifPresent(b -> bytes.put(p, lines(b)));
            start[categories.at(p).ordinal()] += bytes.getOrDefault(p, 0L);
        }
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
                    var memory = bound.bound().get(actions).memory();
                    for (var reuse : work.reuses()) left(categories, reuse.from());
                    for (int i = 0; i < memory.size(); i++)
                        came(categories, work.node().outputs().get(i), memory.get(i));
                    end[actions++] = length;
                }
                case Step.Fetch(var v) -> {
                    came(categories, v, bound.bound().get(actions).memory().getFirst());
                    end[actions++] = length;
                }
                case Step.Offload _ -> end[actions++] = length;
                case Step.Free(var v) -> left(categories, v);
            }
        }
    }

    /** The lines of memory that a buffer, as it is bound, really has. */
    private static long lines(Buffer buffer) {
        return Math.ceilDiv(buffer.memory().bytes(), LINE) * LINE;
    }

    private static int most(Step step) {
        return switch (step) {
            case Step.Work work -> work.node().outputs().size() + work.reuses().size();
            case Step.Free _, Step.Fetch _ -> 1;
            case Step.Offload _ -> 0;
        };
    }

    private void came(Table<Value, Category> categories, Value v, Buffer buffer) {
        bytes.put(v, lines(buffer));
        change(categories, v, lines(buffer));
    }

    private void left(Table<Value, Category> categories, Value v) {
        change(categories, v, -bytes.getOrDefault(v, 0L));
    }

    private void change(Table<Value, Category> categories, Value v, long by) {
        category[length] = categories.at(v).ordinal();
        change[length++] = by;
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
