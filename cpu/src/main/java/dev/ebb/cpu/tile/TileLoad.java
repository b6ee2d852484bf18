package dev.ebb.cpu.tile;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Loads elements of an operand into a register along its view. Axes that can be merged are merged
 * first, so that contiguous elements are copied at once. Otherwise a tile is a sequence of runs
 * along the innermost axis, each copied, repeated (stride 0) or loaded element by element; short
 * runs are loaded by {@link ShortRuns}.
 */
public final class TileLoad implements TileStep {
    private final DType dtype;
    private final MemorySegment segment;
    private final long offset;

    /** Sizes and strides of the merged axes, innermost first. */
    private final long[] sizes;

    private final long[] strides;
    private final int to;

    public TileLoad(Buffer buffer, View view, Shape shape, int to) {
        dtype = buffer.dtype();
        segment = buffer.segment();
        offset = view.offset();
        this.to = to;
        var s = new long[shape.rank()];
        var w = new long[shape.rank()];
        int rank = 0;
        for (int d = shape.rank() - 1; d >= 0; d--) {
            if (shape.dim(d) == 1) continue;
            if (rank > 0 && view.stride(d) == w[rank - 1] * s[rank - 1]) {
                s[rank - 1] *= shape.dim(d);
            } else {
                s[rank] = shape.dim(d);
                w[rank++] = view.stride(d);
            }
        }
        if (rank > Tile.RANK) {
            throw new IllegalArgumentException(
                    "a view of %s separate axes; at most %s are supported"
                            .formatted(rank, Tile.RANK));
        }
        sizes = Arrays.copyOf(s, rank);
        strides = Arrays.copyOf(w, rank);
    }

    /** Whether every position reads the same element. */
    private static boolean isConstant(long[] sizes, long[] strides) {
        return sizes.length == 0 || (sizes.length == 1 && strides[0] == 0);
    }

    @Override
    public void run(Tile tile, long position, int n) {
        if (isConstant(sizes, strides)) {
            RunLoads.run(dtype, segment, offset, 0, tile, to, n);
        } else if (sizes.length == 1) {
            RunLoads.run(dtype, segment, offset + position * strides[0], strides[0], tile, to, n);
        } else {
            runs(tile, position, n);
        }
    }

    private void runs(Tile tile, long position, int n) {
        long[] index = tile.walk;
        long at = offset;
        long left = position;
        for (int d = 0; d < sizes.length; d++) {
            index[d] = left % sizes[d];
            left /= sizes[d];
            at += index[d] * strides[d];
        }
        var walk = new ShortRuns.Walk(sizes, strides, index);
        if (sizes[0] < ShortRuns.SHORT) {
            ShortRuns.load(dtype, segment, at, walk, tile, to, n);
            return;
        }
        for (int done = 0; done < n; ) {
            int run = walk.run(n - done);
            RunLoads.run(dtype, segment, at, strides[0], tile, to + done, run);
            done += run;
            at = walk.next(at, run);
        }
    }
}
