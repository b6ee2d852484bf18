package dev.ebb.science;

import dev.ebb.ir.DType;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/** Where numbers belong in a sorted vector. */
public final class Search {
    private Search() {}

    /** On which side of elements that are equal to it a number belongs. */
    public enum Side {
        LEFT,
        RIGHT
    }

    /**
     * How many elements of the ascending vector {@code sorted} are less than each element of {@code
     * x} ({@code RIGHT}: less or equal), as i64: where it would be inserted. A NaN belongs at the
     * end. By bisection, all elements at once; nothing flows back.
     */
    public static Tensor sorted(Tensor sorted, Tensor x, Side side) {
        if (sorted.rank() != 1 || sorted.dtype() != x.dtype()) {
            throw new ShapeException(
                    "Search.sorted of %s in %s; it needs a vector of the same element type"
                            .formatted(x.type(), sorted.type()));
        }
        int n = sorted.dim(0);
        Tensor place = Tensors.zeros(DType.I64, x.shape());
        for (int step = Integer.highestOneBit(n); step > 0; step /= 2) {
            var next = place.add(step);
            var element = sorted.indexSelect(0, next.minimum(n).sub(1));
            var before = side == Side.LEFT ? element.lt(x) : element.le(x);
            if (x.dtype().isFloat()) before = before.or(x.isNan());
            place = Tensors.where(before.and(next.le(n)), next, place);
        }
        return place;
    }
}
