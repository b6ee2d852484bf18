package dev.ebb.exec.program;

import dev.ebb.exec.Category;
import dev.ebb.exec.Report;
import dev.ebb.exec.loop.BoundSteps;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Measures, while a program runs, the bytes it holds by category. It observes the steps that run
 * and the memory they are bound to, independently of the planned sizes and slots, and allocates
 * nothing while counting.
 */
final class MemoryMeter {
    private static final int KINDS = Category.values().length;
    private static final long LINE = 64;

    /** The bytes of each value in the arena. */
    private final Map<Value, Long> bytes = new HashMap<>();

    /** The changes of memory at each action. */
    private final List<Change> changes = new ArrayList<>();

    private record Change(int category, long bytes) {}

    /** Action {@code i} makes the changes {@code [end[i - 1], end[i])}. */
    private final int[] end;

    private final long[] start = new long[KINDS];
    private final long[] now = new long[KINDS];
    private final long[] peak = new long[KINDS];

    /** The bytes of all categories together while each action ran. */
    private final long[] held;

    private int done;
    private int actions;

    /** The highest byte that {@link #walk} has found, until another kind of run begins. */
    private OptionalLong walked = OptionalLong.empty();

    MemoryMeter(Layout layout, BoundSteps bound) {
        var problem = layout.schedule().problem();
        var categories = Category.of(problem);
        for (Value p : problem.graph().params()) {
            bound.initial().find(p).ifPresent(b -> bytes.put(p, lines(b)));
            start[categories.at(p).ordinal()] += bytes.getOrDefault(p, 0L);
        }
        end = new int[bound.bound().size()];
        held = new long[end.length];
        for (int i = 0; i < end.length; i++) {
            var step = bound.bound().get(i);
            for (Value v : step.left()) change(categories, v, -bytes.getOrDefault(v, 0L));
            for (int k = 0; k < step.memory().size(); k++) {
                var v = step.values().get(k);
                bytes.put(v, lines(step.memory().get(k)));
                change(categories, v, lines(step.memory().get(k)));
            }
            end[i] = changes.size();
        }
    }

    private void change(Table<Value, Category> categories, Value v, long by) {
        changes.add(new Change(categories.at(v).ordinal(), by));
    }

    /** The bytes of a bound buffer in whole cache lines. */
    private static long lines(Buffer buffer) {
        return Math.ceilDiv(buffer.memory().bytes(), LINE) * LINE;
    }

    /**
     * Counts all steps of a recorded run at once; the counts are computed the first time, as every
     * such run is equal. Returns the highest byte that they touch.
     */
    long walk(List<BoundSteps.Bound> steps) {
        if (walked.isPresent()) return walked.getAsLong();
        begin();
        long highest = 0;
        for (var step : steps) {
            step();
            highest = Math.max(highest, step.highest());
        }
        walked = OptionalLong.of(highest);
        return highest;
    }

    /** A run begins: the parameters are in memory. */
    void begin() {
        walked = OptionalLong.empty();
        System.arraycopy(start, 0, now, 0, KINDS);
        System.arraycopy(start, 0, peak, 0, KINDS);
        done = 0;
        actions = 0;
    }

    /** The next computation or transfer runs. */
    void step() {
        int to = end[actions++];
        for (; done < to; done++) now[changes.get(done).category] += changes.get(done).bytes;
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

    /**
     * The most bytes of each category at once since the run began, beside those that were promised.
     *
     * @param workspaceBytes memory of the device outside the arena, part of the workspace
     */
    List<Report.Peak> peaks(long[] promised, long workspaceBytes) {
        var peaks = new ArrayList<Report.Peak>();
        for (var category : Category.values()) {
            long owned = category == Category.WORKSPACE ? workspaceBytes : 0;
            long promise = promised[category.ordinal()] + owned;
            long measured = peak[category.ordinal()] + owned;
            if (promise > 0 || measured > 0)
                peaks.add(new Report.Peak(category, promise, measured));
        }
        return peaks;
    }
}
