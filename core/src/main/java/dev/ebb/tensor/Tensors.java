package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Op;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.op.Moves;
import dev.ebb.tensor.op.Selection;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * Makes tensors of constants, such as zeros and ranges, and has the functions of several tensors,
 * such as concatenation.
 */
public final class Tensors {
    private Tensors() {}

    /** Applies any op, built in or the caller's own, to any number of tensors. */
    public static List<Tensor> apply(Op op, List<Tensor> operands) {
        return Dispatch.apply(op, operands);
    }

    /**
     * The result of {@code body} with its ops computed at once, even while a function is traced. It
     * is for numbers that the trace itself needs, such as shapes, and that depend only on arrays.
     */
    public static <R> R atOnce(Supplier<R> body) {
        return Recording.atOnce(body);
    }

    /** A tensor whose every element equals {@code value}. */
    public static Tensor fill(Type type, double value) {
        Literals.requireHeld(value, type);
        return Dispatch.apply(new Fill(type, value), List.of()).getFirst();
    }

    public static Tensor zeros(DType dtype, Shape shape) {
        return fill(new Type(dtype, shape), 0);
    }

    /** Zeros of a shape given axis by axis. */
    public static Tensor zeros(DType dtype, int... dims) {
        return zeros(dtype, Shape.of(dims));
    }

    /** Ones of a shape given axis by axis. */
    public static Tensor ones(DType dtype, int... dims) {
        return ones(dtype, Shape.of(dims));
    }

    public static Tensor ones(DType dtype, Shape shape) {
        return fill(new Type(dtype, shape), 1);
    }

    /** The index along one axis of {@code shape}, as numbers. */
    public static Tensor iota(DType dtype, Shape shape, int axis) {
        record Iota(Type type, int axis) implements ZeroDerivative {
            @Override
            public String name() {
                return "iota(" + axis + ")";
            }

            @Override
            public List<Type> infer(List<Type> in) {
                if (type.dtype().isTruth()) {
                    throw new ShapeException("iota needs a type of numbers, not " + type.dtype());
                }
                return List.of(type);
            }

            @Override
            public Kernel kernel(List<Type> in) {
                var body = new Scalar.Index(axis).cast(type.dtype());
                return Kernel.Map.of(type.shape(), List.of(), body);
            }
        }
        var op = new Iota(new Type(dtype, shape), shape.axis(axis));
        return Dispatch.apply(op, List.of()).getFirst();
    }

    /** 0, 1, 2 ... below {@code stop}. */
    public static Tensor arange(DType dtype, int stop) {
        return arange(dtype, 0, stop, 1);
    }

    /**
     * {@code start}, and every {@code step} from there, as far as {@code stop}, which is left out.
     */
    public static Tensor arange(DType dtype, double start, double stop, double step) {
        double count = Math.ceil((stop - start) / step);
        if (!(count >= 0 && count <= Integer.MAX_VALUE)) {
            throw new ShapeException(
                    "arange: from " + start + " to " + stop + " in steps of " + step);
        }
        // counted in the type of arithmetic: sixteen bits do not hold every index
        var wide = dtype.isFloat() ? dtype.compute() : dtype;
        return iota(wide, Shape.of((int) count), 0).mul(step).add(start).cast(dtype);
    }

    /** {@code count} numbers, evenly spaced, from {@code first} to {@code last}, both included. */
    public static Tensor linspace(DType dtype, double first, double last, int count) {
        if (!dtype.isFloat()) {
            throw new ShapeException("linspace makes floats, not " + dtype);
        }
        var i = iota(dtype.compute(), Shape.of(count), 0);
        double step = count < 2 ? 0 : (last - first) / (count - 1);
        return where(
                        i.lt(count * 0.5),
                        i.mul(step).add(first),
                        i.sub(count - 1).mul(step).add(last))
                .cast(dtype);
    }

    /** Ones on the diagonal of a square matrix, zeros elsewhere. */
    public static Tensor eye(DType dtype, int size) {
        var shape = Shape.of(size, size);
        return iota(DType.I32, shape, 0).eq(iota(DType.I32, shape, 1)).cast(dtype);
    }

    /**
     * One at each index along a new last axis of {@code size}, zeros elsewhere. An index outside
     * that axis stops the run with an error that names it.
     */
    public static Tensor oneHot(Tensor index, int size, DType dtype) {
        // The second operand, an index, unchanged, after a check that every element is in [0,
        // bound): a gather from the first operand, which is 0, 1, 2 ... below the bound.
        record OneHot(int bound) implements ZeroDerivative {
            @Override
            public List<Type> infer(List<Type> in) {
                return List.of(in.getLast());
            }

            @Override
            public Kernel kernel(List<Type> in) {
                var shape = in.getLast().shape();
                var still = new View(0, Collections.nCopies(shape.rank(), 0L));
                return new Kernel.Gather(shape, still, View.contiguous(shape), 1, bound);
            }
        }
        if (!index.dtype().isInteger()) {
            throw new ShapeException("oneHot: an index is an integer, this is " + index.type());
        }
        var all = iota(index.dtype(), Shape.of(size), 0);
        var checked = all.apply(new OneHot(size), index);
        return checked.unsqueeze(-1).eq(all).cast(dtype);
    }

    /** Tensors side by side along an axis they already have. */
    public static Tensor concat(List<? extends Tensor> parts, int axis) {
        if (parts.isEmpty()) throw new ShapeException("concat of no tensors has no type");
        var first = parts.getFirst().shape();
        int a = first.axis(axis);
        var placed = new ArrayList<View.Part>();
        int at = 0;
        for (Tensor t : parts) {
            if (t.rank() != first.rank() || !t.shape().with(a, first.dim(a)).equals(first)) {
                throw new ShapeException(
                        ("concat along axis %s: %s does not fit beside %s; all other axes must"
                                        + " agree")
                                .formatted(axis, t.type(), parts.getFirst().type()));
            }
            var start = new ArrayList<>(Collections.nCopies(first.rank(), 0));
            start.set(a, at);
            placed.add(new View.Part(t.shape(), start, Moves.ones(first.rank())));
            at = Moves.length("concat", (long) at + t.shape().dim(a));
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
                    "stack: axis %s does not exist in a tensor of rank %s"
                            .formatted(axis, dims.size() + 1));
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
