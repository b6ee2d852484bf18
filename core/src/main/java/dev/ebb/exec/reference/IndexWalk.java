package dev.ebb.exec.reference;

import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.List;

/**
 * Visits every index of a shape in row-major order and keeps the element offset of each view beside
 * it.
 */
final class IndexWalk {
    private final int[] dims;
    private final long[][] strides;
    private final long size;
    final int[] index;
    final long[] offsets;
    long position;

    IndexWalk(Shape shape, List<View> views) {
        dims = shape.toArray();
        size = shape.size();
        index = new int[dims.length];
        offsets = views.stream().mapToLong(View::offset).toArray();
        strides = views.stream().map(View::strideArray).toArray(long[][]::new);
    }

    boolean inside() {
        return position < size;
    }

    void next() {
        position++;
        for (int d = dims.length - 1; d >= 0; d--) {
            boolean more = ++index[d] < dims[d];
            long jump = more ? 1 : 1 - dims[d];
            for (int v = 0; v < offsets.length; v++) offsets[v] += jump * strides[v][d];
            if (more) return;
            index[d] = 0;
        }
    }
}
