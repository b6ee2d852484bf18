package dev.ebb.cpu.tile;

import dev.ebb.cpu.work.Crew;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * A walk over several views at once, in runs: axes that all views walk as one are merged, and the
 * innermost of what is left is the run. What moves data then loops over runs, and copies each in
 * one go where strides allow.
 */
public final class Runs {
    private final List<Integer> sizes = new ArrayList<>();
    private final List<long[]> strides = new ArrayList<>();
    private final long[] offsets;
    private final int length;
    private final long[] steps;
    private final long count;

    public Runs(Shape shape, List<View> views) {
        offsets = views.stream().mapToLong(View::offset).toArray();
        for (int d = 0; d < shape.rank(); d++) {
            if (shape.dim(d) == 1) continue;
            int axis = d;
            var own = views.stream().mapToLong(v -> v.stride(axis)).toArray();
            if (!sizes.isEmpty()
                    && isOne(strides.getLast(), own, shape.dim(d))
                    && small(shape.dim(d))) {
                sizes.addLast(sizes.removeLast() * shape.dim(d));
                strides.removeLast();
            } else {
                sizes.add(shape.dim(d));
            }
            strides.add(own);
        }
        length = sizes.isEmpty() ? 1 : sizes.removeLast();
        steps = strides.isEmpty() ? new long[offsets.length] : strides.removeLast();
        count = shape.size() == 0 ? 0 : shape.size() / length;
    }

    private boolean small(int size) {
        return (long) sizes.getLast() * size <= Integer.MAX_VALUE;
    }

    private static boolean isOne(long[] outer, long[] inner, int size) {
        for (int v = 0; v < outer.length; v++) if (outer[v] != inner[v] * size) return false;
        return true;
    }

    /** How many runs there are. */
    public long count() {
        return count;
    }

    /** The elements of each run. */
    public int length() {
        return length;
    }

    /** By how much {@code view} moves from one element of a run to the next. */
    public long step(int view) {
        return steps[view];
    }

    /** Whether every other stride of {@code view} is a multiple of {@code unit}. */
    public boolean isAligned(int view, long unit) {
        return strides.stream().allMatch(s -> s[view] % unit == 0);
    }

    /** The first element of run {@code number} in each view. */
    public void starts(long number, long[] at) {
        System.arraycopy(offsets, 0, at, 0, offsets.length);
        long left = number;
        for (int d = sizes.size() - 1; d >= 0; d--) {
            long index = left % sizes.get(d);
            left /= sizes.get(d);
            for (int v = 0; v < offsets.length; v++) at[v] += index * strides.get(d)[v];
        }
    }

    /** Runs {@code body} on ranges of runs, shared among workers where there is enough to do. */
    public void share(Crew workers, Range body) {
        if (count == 0) return;
        long some = Math.max(1, Workers.GRAIN / length);
        int parts = Math.toIntExact(Math.ceilDiv(count, some));
        workers.run(parts, (part, _) -> body.run(part * some, Math.min(count, (part + 1) * some)));
    }

    /** Does runs {@code from} to {@code to}, exclusive. */
    @FunctionalInterface
    public interface Range {
        void run(long from, long to);
    }
}
