package dev.ebb.exec.program;

import dev.ebb.exec.Category;
import dev.ebb.exec.Report;
import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Layout;
import dev.ebb.plan.schedule.Step;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The memory profile of a plan: the bytes in the arena at every step, by category, as promised. The
 * measured bytes of a run are in its {@link Report}.
 */
public final class MemoryProfile {
    private final long[][] bytes;
    private final List<String> steps;

    private MemoryProfile(long[][] bytes, List<String> steps) {
        this.bytes = bytes;
        this.steps = steps;
    }

    public static MemoryProfile of(Layout layout) {
        var categories = Category.of(layout.schedule().problem());
        var steps = layout.schedule().steps();
        var bytes = new long[Category.values().length][Math.max(1, steps.size())];
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
        return new MemoryProfile(bytes, steps.stream().map(MemoryProfile::name).toList());
    }

    private static String name(Node node) {
        return node.op().name() + (node.region().isTop() ? "" : " in " + node.region());
    }

    private static String name(Step step) {
        return switch (step) {
            case Step.Work work -> name(work.node());
            case Step.Free(var value) -> "free " + value;
            case Step.Offload(var value, var place) -> "offload " + value + " to " + place.name();
            case Step.Fetch(var value, var place) -> "fetch " + value + " from " + place.name();
        };
    }

    /** The bytes of one category at every step. */
    public long[] bytes(Category category) {
        return bytes[category.ordinal()].clone();
    }

    /** What each step does. */
    public List<String> steps() {
        return steps;
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
