package dev.ebb.cpu.product;

import dev.ebb.ir.View;

/**
 * The strides of a batch of matrices: one along the rows or columns of the product, the other along
 * its depth.
 */
final class Factor {
    final long side;
    final long depth;
    private final long offset;
    private final int[] batch;
    private final long[] strides;

    /** The batch runs over the first axes of {@code view}. */
    Factor(View view, long side, long depth, int[] batch) {
        this.side = side;
        this.depth = depth;
        this.batch = batch;
        offset = view.offset();
        strides = new long[batch.length];
        for (int i = 0; i < batch.length; i++) strides[i] = view.stride(i);
    }

    /** The first element of matrix number {@code matrix}. */
    long start(int matrix) {
        long start = offset;
        int rest = matrix;
        for (int axis = batch.length - 1; axis >= 0; axis--) {
            start += rest % batch[axis] * strides[axis];
            rest /= batch[axis];
        }
        return start;
    }
}
