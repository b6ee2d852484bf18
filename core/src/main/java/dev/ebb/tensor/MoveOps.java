package dev.ebb.tensor;

import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Shapes changed, elements moved. */
public interface MoveOps {

    private Tensor self() {
        return (Tensor) this;
    }

    default Tensor reshape(Shape to) {
        return to.equals(self().shape()) ? self() : self().apply(new Moves.Reshape(to));
    }

    /** Reshapes; one size may be -1 and is then whatever is left. */
    default Tensor reshape(int... dims) {
        long known = 1;
        int open = -1;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] != -1) known *= dims[i];
            else if (open >= 0)
                throw new ShapeException(
                        "reshape: only one size of " + Arrays.toString(dims) + " may be -1");
            else open = i;
        }
        if (open < 0) return reshape(Shape.of(dims));
        long size = self().shape().size();
        if (known == 0 || size % known != 0) {
            throw new ShapeException(
                    "reshape: " + self().type() + " does not divide into " + Arrays.toString(dims));
        }
        int[] out = dims.clone();
        out[open] = Math.toIntExact(size / known);
        return reshape(Shape.of(out));
    }

    default Tensor permute(List<Integer> axes) {
        var shape = self().shape();
        return self().apply(new Moves.Permute(axes.stream().map(shape::axis).toList()));
    }

    default Tensor permute(int... axes) {
        return permute(Arrays.stream(axes).boxed().toList());
    }

    /** The last two axes exchanged. */
    default Tensor transpose() {
        int rank = self().rank();
        if (rank < 2)
            throw new ShapeException("transpose needs two axes or more, this is " + self().type());
        var axes = new ArrayList<>(self().shape().allAxes());
        axes.set(rank - 2, rank - 1);
        axes.set(rank - 1, rank - 2);
        return permute(axes);
    }

    default Tensor broadcastTo(Shape to) {
        return to.equals(self().shape()) ? self() : self().apply(new Moves.BroadcastTo(to));
    }

    /** Elements {@code [start, stop)} of one axis. */
    default Tensor slice(int axis, int start, int stop) {
        var shape = self().shape();
        int a = shape.axis(axis);
        var from = new ArrayList<>(java.util.Collections.nCopies(shape.rank(), 0));
        from.set(a, start);
        if (stop < start)
            throw new ShapeException(
                    "slice: [" + start + ", " + stop + ") of axis " + axis + " is backwards");
        return self().apply(
                        new Moves.Slice(
                                from, Moves.ones(shape.rank()), shape.with(a, stop - start)));
    }
}
