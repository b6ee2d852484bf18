package dev.ebb.exec.program;

import dev.ebb.exec.Category;
import dev.ebb.exec.Report;
import dev.ebb.plan.schedule.Layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The memory profile of a plan: the bytes in the arena at every step, by category, as promised. The
 * measured bytes of a run are in its {@link Report}.
 */
public final class MemoryProfile {
    private final long[][] bytes;

    private MemoryProfile(long[][] bytes) {
        this.bytes = bytes;
    }

    public static MemoryProfile of(Layout layout) {
        var categories = Category.of(layout.schedule().problem());
        int steps = Math.max(1, layout.schedule().steps().size());
        var bytes = new long[Category.values().length][steps];
        for (var slot : layout.slots()) {
            for (int i = 0; i < slot.stays().size(); i++) {
                var stay = slot.stays().get(i);
                int to = i + 1 < slot.stays().size() ? slot.stays().get(i + 1).from() : slot.to();
                var row = bytes[categories.at(stay.value()).ordinal()];
                // a parameter that is freed before the first step was still written to memory
                int last = stay.from() < 0 ? Math.max(1, to) : to;
                for (int t = Math.max(0, stay.from()); t < last && t < row.length; t++)
                    row[t] += slot.bytes();
            }
        }
        return new MemoryProfile(bytes);
    }

    /** The most bytes of one category at once. */
    public long peak(Category category) {
        return Arrays.stream(bytes[category.ordinal()]).max().orElse(0);
    }

    /** The categories that occur, in order. */
    public List<Category> categories() {
        var occurring = new ArrayList<Category>();
        for (var category : Category.values()) if (peak(category) > 0) occurring.add(category);
        return occurring;
    }
}
