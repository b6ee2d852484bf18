package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Tensors made from nothing, and functions of several tensors of equal standing. */
public final class Tensors {
    private Tensors() {}

    /** A tensor whose every element equals {@code value}. */
    public static Tensor fill(Type type, double value) {
        return Dispatch.apply(new Fill(type, value), List.of()).getFirst();
    }

    public static Tensor zeros(DType dtype, Shape shape) {
        return fill(new Type(dtype, shape), 0);
    }

    public static Tensor ones(DType dtype, Shape shape) {
        return fill(new Type(dtype, shape), 1);
    }

    /** Tensors side by side along an axis they already have. */
    public static Tensor concat(List<? extends Tensor> parts, int axis) {
        if (parts.isEmpty()) throw new ShapeException("concat of no tensors has no type");
        var first = parts.getFirst().shape();
        int a = first.axis(axis);
        var placed = new ArrayList<Kernel.Part>();
        int at = 0;
        for (Tensor t : parts) {
            if (t.rank() != first.rank() || !t.shape().with(a, first.dim(a)).equals(first)) {
                throw new ShapeException(
                        "concat along axis "
                                + axis
                                + ": "
                                + t.type()
                                + " does not fit beside "
                                + parts.getFirst().type()
                                + "; all other axes must agree");
            }
            var start = new ArrayList<>(Collections.nCopies(first.rank(), 0));
            start.set(a, at);
            placed.add(new Kernel.Part(t.shape(), start, Moves.ones(first.rank())));
            at = Math.addExact(at, t.shape().dim(a));
        }
        return Dispatch.apply(new Moves.Assemble(first.with(a, at), 0, placed), List.copyOf(parts))
                .getFirst();
    }

    /** Tensors of one shape side by side along a new axis. */
    public static Tensor stack(List<? extends Tensor> parts, int axis) {
        if (parts.isEmpty()) throw new ShapeException("stack of no tensors has no type");
        var dims = new ArrayList<>(parts.getFirst().shape().dims());
        int a = axis < 0 ? axis + dims.size() + 1 : axis;
        if (a < 0 || a > dims.size()) {
            throw new ShapeException(
                    "stack: axis "
                            + axis
                            + " does not exist in a tensor of rank "
                            + (dims.size() + 1));
        }
        dims.add(a, 1);
        var shape = new Shape(dims);
        return concat(parts.stream().map(t -> t.reshape(shape)).toList(), a);
    }

    /** {@code x} where the condition holds, else {@code y}; all three broadcast. */
    public static Tensor where(Tensor condition, Tensor x, Tensor y) {
        return condition.apply(new Selection.Where(), x, y);
    }
}
