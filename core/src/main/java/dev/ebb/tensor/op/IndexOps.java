package dev.ebb.tensor.op;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

/**
 * Picking elements by index, and adding them where they were picked. Indices are I32 or I64 and
 * count from zero; one outside its axis stops the run with an error that names it.
 */
public interface IndexOps {

    private Tensor self() {
        return (Tensor) this;
    }

    /**
     * The slices of an axis that {@code index} names, in its order. An index of any shape takes the
     * place of the axis.
     */
    default Tensor indexSelect(int axis, Tensor index) {
        int a = self().shape().axis(axis);
        return self().apply(new Indexing.Gather(new Indexing.Whole(a)), index);
    }

    /** Row {@code index} of this table, for every element of the index. */
    default Tensor embedding(Tensor index) {
        if (self().rank() != 2) {
            throw new ShapeException(
                    "embedding: the table needs shape [rows, width], this is " + self().type());
        }
        return indexSelect(0, index);
    }

    /**
     * {@code out[i][j][k] = this[i][index[i][j][k]][k]} for axis 1, and so on: the index has this
     * tensor's rank and the result its shape.
     */
    default Tensor gather(int axis, Tensor index) {
        int a = self().shape().axis(axis);
        return self().apply(new Indexing.Gather(new Indexing.Along(a)), index);
    }

    /**
     * {@link #gather} with an index that broadcasts against this tensor on all axes but one, as
     * {@link ReduceOps#argsort} and a reduction with kept axes give it.
     */
    default Tensor takeAlong(int axis, Tensor index) {
        var shape = self().shape();
        int a = shape.axis(axis);
        if (index.rank() != shape.rank()) {
            throw new ShapeException(
                    "takeAlong: an index of "
                            + index.type()
                            + " into "
                            + self().type()
                            + "; the ranks must agree, insert axes of size 1");
        }
        return gather(a, index.broadcastTo(shape.with(a, index.shape().dim(a))));
    }

    /**
     * This tensor with {@code source} added where {@code index} points along an axis; an element
     * pointed at twice gets both.
     */
    default Tensor scatterAdd(int axis, Tensor index, Tensor source) {
        var shape = self().shape();
        var address = new Indexing.Along(shape.axis(axis));
        return self().add(index.apply(new Indexing.Scatter(address, shape), source));
    }

    /** This tensor with the slices of {@code source} added to the slices that the index names. */
    default Tensor indexAdd(int axis, Tensor index, Tensor source) {
        var shape = self().shape();
        var address = new Indexing.Whole(shape.axis(axis));
        return self().add(index.apply(new Indexing.Scatter(address, shape), source));
    }
}
