package dev.ebb.cpu.tile;

import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An iteration over several views at once, in runs: axes that can be merged in all views are
 * merged, and the innermost remaining axis is the run. Code that moves data loops over runs, and
 * copies each at once where strides allow.
 */
public final class StridedRuns {
    private final int[] sizes;
    private final long[][] strides;
    private final long[] offsets;
    private final int length;
    private final long[] steps;
    private final long count;

    public StridedRuns(Shape shape, List<View> views) {
        offsets = views.stream().mapToLong(View::offset).toArray();
        var all = new ArrayList<Integer>();
        var moves = new ArrayList<long[]>();
        for (int d = 0; d < shape.rank(); d++) {
            if (shape.dim(d) == 1) continue;
            int axis = d;
            var own = views.stream().mapToLong(v -> v.stride(axis)).toArray();
            if (!all.isEmpty()
                    && isOne(moves.getLast(), own, shape.dim(d))
                    && (long) all.getLast() * shape.dim(d) <= Integer.MAX_VALUE) {
                all.addLast(all.removeLast() * shape.dim(d));
                moves.removeLast();
            } else {
                all.add(shape.dim(d));
            }
            moves.add(own);
        }
        length = all.isEmpty() ? 1 : all.removeLast();
        steps = moves.isEmpty() ? new long[offsets.length] : moves.removeLast();
        count = shape.size() == 0 ? 0 : shape.size() / length;
        sizes = all.stream().mapToInt(Integer::intValue).toArray();
        strides = moves.toArray(long[][]::new);
    }

    private static boolean isOne(long[] outer, long[] inner, int size) {
        for (int v = 0; v < outer.length; v++) if (outer[v] != inner[v] * size) return false;
        return true;
    }

    /** The number of runs. */
    public long count() {
        return count;
    }

    /** The elements of each run. */
    public int length() {
        return length;
    }

    /** The stride of {@code view} within a run. */
    public long step(int view) {
        return steps[view];
    }

    /** Whether every other stride of {@code view} is a multiple of {@code unit}. */
    public boolean isAligned(int view, long unit) {
        return Arrays.stream(strides).allMatch(s -> s[view] % unit == 0);
    }

    /** Writes the offset of the first element of run {@code number} in each view. */
    public void starts(long number, long[] at) {
        System.arraycopy(offsets, 0, at, 0, offsets.length);
        long left = number;
        for (int d = sizes.length - 1; d >= 0; d--) {
            long index = left % sizes[d];
            left /= sizes[d];
            for (int v = 0; v < offsets.length; v++) at[v] += index * strides[d][v];
        }
    }

    /** The number of runs, from {@code number} on, that follow each other along one axis. */
    public long stretch(long number) {
        int last = sizes.length - 1;
        return last < 0 ? 1 : sizes[last] - number % sizes[last];
    }

    /** The stride of {@code view} from one run to the next along that axis. */
    public long apart(int view) {
        return sizes.length == 0 ? 0 : strides[sizes.length - 1][view];
    }

    /** Calls {@code body} on ranges of runs, in parallel if there is enough work. */
    public void share(WorkerGroup workers, Range body) {
        if (count == 0) return;
        long some = Math.max(1, Workers.GRAIN / length);
        int parts = Math.toIntExact(Math.ceilDiv(count, some));
        workers.run(parts, (part, _) -> body.run(part * some, Math.min(count, (part + 1) * some)));
    }

    /** Processes runs {@code from} to {@code to}, exclusive. */
    @FunctionalInterface
    public interface Range {
        void run(long from, long to);
    }
}
