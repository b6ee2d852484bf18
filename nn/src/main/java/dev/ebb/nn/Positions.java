package dev.ebb.nn;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * The positions of new tokens that follow cached ones: for each row of a batch the position of its
 * first new token, [batch] in i64.
 */
public record Positions(Tensor first) {

    /** The positions of {@code count} tokens per row: [batch, count]. */
    public Tensor of(int count) {
        return first.reshape(-1, 1).add(Tensors.arange(DType.I64, count));
    }

    /**
     * The mask to add to the scores of {@code count} queries per row over {@code context} keys,
     * [batch, 1, count, context]: zero for a key at or before its query, minus infinity for others.
     *
     * @param window the most keys that a query attends to; zero for all
     */
    Tensor mask(int count, int context, int window, DType dtype) {
        var query = of(count).reshape(-1, 1, count, 1);
        var key = Tensors.arange(DType.I64, context);
        var later = key.gt(query);
        if (window > 0 && window < context) later = later.or(key.le(query.sub(window)));
        var hidden = Tensors.fill(Type.of(dtype), Double.NEGATIVE_INFINITY);
        return Tensors.where(later, hidden, Tensors.fill(Type.of(dtype), 0));
    }
}
