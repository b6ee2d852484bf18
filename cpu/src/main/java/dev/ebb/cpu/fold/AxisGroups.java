package dev.ebb.cpu.fold;

import dev.ebb.ir.Shape;

import java.util.ArrayList;
import java.util.List;

/**
 * The axes of a fold, merged as far as possible: axes of size one are dropped, and neighbouring
 * axes that are both folded or both kept become one. Then folded and kept axes alternate, and the
 * order of a fold depends on these sizes only.
 */
public record AxisGroups(List<Group> all) {

    public record Group(long size, boolean folded) {}

    public AxisGroups {
        all = List.copyOf(all);
    }

    public static AxisGroups of(Shape shape, List<Integer> axes) {
        var all = new ArrayList<Group>();
        for (int d = 0; d < shape.rank(); d++) {
            if (shape.dim(d) == 1) continue;
            var next = new Group(shape.dim(d), axes.contains(d));
            if (!all.isEmpty() && all.getLast().folded() == next.folded()) {
                next = new Group(all.removeLast().size() * next.size(), next.folded());
            }
            all.add(next);
        }
        return new AxisGroups(all);
    }

    /**
     * Whether rows are folded first: the innermost axis is folded, or there is only one element.
     */
    public boolean endsFolded() {
        return all.isEmpty() || all.getLast().folded();
    }

    public AxisGroups withoutLast() {
        return all.isEmpty() ? this : new AxisGroups(all.subList(0, all.size() - 1));
    }

    public long size() {
        return all.stream().mapToLong(Group::size).reduce(1, (a, b) -> a * b);
    }

    public long lastSize() {
        return all.isEmpty() ? 1 : all.getLast().size();
    }

    /** The number of indices over the axes that are folded, or over those that are kept. */
    public long size(boolean folded) {
        return all.stream()
                .filter(g -> g.folded() == folded)
                .mapToLong(Group::size)
                .reduce(1, (a, b) -> a * b);
    }

    /**
     * The row-major position of the index with number {@code kept} among the kept axes and number
     * {@code folded} among the folded ones.
     */
    public long position(long kept, long folded) {
        long position = 0;
        long stride = 1;
        long keptLeft = kept;
        long foldedLeft = folded;
        for (int i = all.size() - 1; i >= 0; i--) {
            var group = all.get(i);
            long index = (group.folded() ? foldedLeft : keptLeft) % group.size();
            if (group.folded()) foldedLeft /= group.size();
            else keptLeft /= group.size();
            position += index * stride;
            stride *= group.size();
        }
        return position;
    }
}
