package dev.ebb.exec.program;

import dev.ebb.exec.Category;
import dev.ebb.exec.loop.BoundSteps;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Table;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Place;
import dev.ebb.plan.schedule.ScheduleListener;
import dev.ebb.plan.schedule.Step;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
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

    /** What changes with the actions. */
    private final List<Change> changes = new ArrayList<>();

    private record Change(int category, long bytes) {}

    /** Action {@code i} makes the changes {@code [end[i - 1], end[i])}. */
    private final int[] end;

    private final long[] start = new long[KINDS];
    private final long[] now = new long[KINDS];
    private final long[] peak = new long[KINDS];

    /** What all categories held together while each action ran. */
    private final long[] held;

    private int done;
    private int actions;

    MemoryMeter(Layout layout, BoundSteps bound) {
        end = new int[bound.bound().size()];
        held = new long[end.length];
        layout.schedule().tell(new Changes(Category.of(layout.schedule().problem()), bound));
    }

    /** Notes what changes with each action; what is freed goes with the action after it. */
    private final class Changes implements ScheduleListener {
        private final Table<Value, Category> categories;
        private final BoundSteps bound;

        /** What the latest action writes, and where. */
        private List<Value> outputs = List.of();

        private List<Buffer> memory = List.of();

        Changes(Table<Value, Category> categories, BoundSteps bound) {
            this.categories = categories;
            this.bound = bound;
        }

        @Override
        public void starts(Value param) {
            long lines = bound.initial().find(param).map(MemoryMeter::lines).orElse(0L);
            bytes.put(param, lines);
            start[categories.at(param).ordinal()] += lines;
        }

        @Override
        public void runs(int step, Step.Work work, Run how) {
            acts(work.node().outputs());
        }

        @Override
        public void offloads(int step, Value value, Place place) {
            acts(List.of());
        }

        @Override
        public void fetches(int step, Value value, Place place) {
            acts(List.of(value));
        }

        private void acts(List<Value> written) {
            outputs = written;
            memory = bound.bound().get(actions).memory();
            end[actions++] = changes.size();
        }

        @Override
        public void overwrites(int step, Value from, Value into) {
            frees(step, from);
            enters(step, into);
        }

        @Override
        public void enters(int step, Value value) {
            long lines = lines(memory.get(outputs.indexOf(value)));
            bytes.put(value, lines);
            change(value, lines);
            end[actions - 1] = changes.size();
        }

        @Override
        public void frees(int step, Value value) {
            change(value, -bytes.getOrDefault(value, 0L));
        }

        private void change(Value value, long by) {
            changes.add(new Change(categories.at(value).ordinal(), by));
        }
    }

    /** The lines of memory that a buffer, as it is bound, really has. */
    private static long lines(Buffer buffer) {
        return Math.ceilDiv(buffer.memory().bytes(), LINE) * LINE;
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

    /** The most bytes of each category at once since the run began. */
    long[] peaks() {
        return Arrays.copyOf(peak, KINDS);
    }
}
