package dev.ebb.tensor.op;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Collections;

/**
 * Picking elements by index, and adding or writing them where they were picked. Indices are I32 or
 * I64 and count from zero; one outside its axis stops the run with an error that names it.
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
                    ("takeAlong: an index of %s into %s; the ranks must agree, insert axes of size"
                                    + " 1")
                            .formatted(index.type(), self().type()));
        }
        return gather(a, index.broadcastTo(shape.with(a, index.shape().dim(a))));
    }

    /**
     * This tensor with {@code source} added where {@code index} points along an axis; an element
     * pointed at twice gets both. Sums of integers are I64.
     */
    default Tensor scatterAdd(int axis, Tensor index, Tensor source) {
        return added(new Indexing.Along(self().shape().axis(axis)), index, source);
    }

    /**
     * This tensor with the slices of {@code source} added to the slices that the index names. Sums
     * of integers are I64.
     */
    default Tensor indexAdd(int axis, Tensor index, Tensor source) {
        return added(new Indexing.Whole(self().shape().axis(axis)), index, source);
    }

    private Tensor added(Indexing.Address address, Tensor index, Tensor source) {
        boolean whole = self().dtype().isInteger();
        var wide = whole ? self().cast(DType.I64) : self();
        var terms = whole ? source.cast(DType.I64) : source;
        return wide.add(index.apply(new Indexing.Scatter(address, self().shape()), terms));
    }

    /**
     * This tensor with {@code source} in the places that {@code index} points at along an axis:
     * {@code out[i][index[i][j]] = source[i][j]} for axis 1, and so on. Of several elements for one
     * place the last in the order of the source stays, and it alone has a derivative. The index
     * broadcasts to the source. Where this tensor is not read again, only those places are written.
     */
    default Tensor scatter(int axis, Tensor index, Tensor source) {
        return written(Kernel.Write.SET, axis, index, source);
    }

    /**
     * The maximum of each element of this tensor and the elements of {@code source} that {@code
     * index} sends to it, as in {@link #scatter}. Equal elements share the derivative.
     */
    default Tensor scatterMax(int axis, Tensor index, Tensor source) {
        return written(Kernel.Write.MAX, axis, index, source);
    }

    /** As {@link #scatterMax}, the least. */
    default Tensor scatterMin(int axis, Tensor index, Tensor source) {
        return written(Kernel.Write.MIN, axis, index, source);
    }

    /**
     * This tensor with the slices of {@code source} in the places of the slices that {@code index},
     * of one axis, names; of several for one place the last stays.
     */
    default Tensor indexCopy(int axis, Tensor index, Tensor source) {
        int a = self().shape().axis(axis);
        if (index.rank() != 1) {
            throw new ShapeException(
                    "indexCopy: an index of " + index.type() + "; it needs one axis");
        }
        var dims = new ArrayList<>(Collections.nCopies(self().rank(), 1));
        dims.set(a, index.dim(0));
        return scatter(a, index.reshape(new Shape(dims)), source);
    }

    private Tensor written(Kernel.Write write, int axis, Tensor index, Tensor source) {
        int a = self().shape().axis(axis);
        return self().apply(new ScatterOver(write, a), index, source);
    }
}
