package dev.ebb.tensor.op;

import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.View;
import dev.ebb.tensor.Literals;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Ops that change shapes and move elements, such as reshape, permute, slice, pad and flip. */
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

    /** As above, the shape given axis by axis. */
    default Tensor broadcastTo(int... dims) {
        return broadcastTo(Shape.of(dims));
    }

    /** Elements {@code [start, stop)} of one axis; both count from the end if negative. */
    default Tensor slice(int axis, int start, int stop) {
        return slice(axis, start, stop, 1);
    }

    /**
     * Every {@code step}-th element of {@code [start, stop)} of one axis; both count from the end
     * if negative.
     */
    default Tensor slice(int axis, int start, int stop, int step) {
        var shape = self().shape();
        int a = shape.axis(axis);
        var from = new ArrayList<>(Collections.nCopies(shape.rank(), 0));
        var to = new ArrayList<>(shape.dims());
        var by = new ArrayList<>(Moves.ones(shape.rank()));
        from.set(a, start);
        to.set(a, stop);
        by.set(a, step);
        return slice(from, to, by);
    }

    /**
     * Every {@code step}-th element of {@code [start, stop)}, axis by axis; starts and stops count
     * from the end if negative.
     */
    default Tensor slice(List<Integer> start, List<Integer> stop, List<Integer> step) {
        var shape = self().shape();
        if (List.of(start.size(), stop.size(), step.size()).stream()
                .anyMatch(n -> n != shape.rank())) {
            throw new ShapeException(
                    ("slice: one start, stop and step for each axis of %s are needed, not %s, %s"
                                    + " and %s")
                            .formatted(self().type(), start, stop, step));
        }
        var first = new ArrayList<Integer>();
        var size = new ArrayList<Integer>();
        for (int d = 0; d < shape.rank(); d++) {
            int n = shape.dim(d);
            int from = start.get(d) < 0 ? start.get(d) + n : start.get(d);
            int to = stop.get(d) < 0 ? stop.get(d) + n : stop.get(d);
            if (from < 0 || to < from || to > n || step.get(d) < 1) {
                throw new ShapeException(
                        ("slice: [%s, %s) by %s of axis %s, which has %s elements; to walk"
                                        + " backwards use flip")
                                .formatted(start.get(d), stop.get(d), step.get(d), d, n));
            }
            first.add(from);
            size.add(Math.ceilDiv(to - from, step.get(d)));
        }
        return self().apply(new Moves.Slice(first, step, new Shape(size)));
    }

    /** One element of an axis, which goes. */
    default Tensor at(int axis, int index) {
        int a = self().shape().axis(axis);
        int i = index < 0 ? index + self().shape().dim(a) : index;
        return slice(a, i, i + 1).squeeze(a);
    }

    /** These axes backwards. */
    default Tensor flip(int... axes) {
        var shape = self().shape();
        var start = new ArrayList<>(Collections.nCopies(shape.rank(), 0));
        var step = new ArrayList<>(Moves.ones(shape.rank()));
        for (int a : shape.axes(Arrays.stream(axes).boxed().toList())) {
            start.set(a, Math.max(shape.dim(a) - 1, 0));
            step.set(a, -1);
        }
        return self().apply(new Moves.Slice(start, step, shape));
    }

    /** Elements {@code shift} places further along an axis; the last come in at the front. */
    default Tensor roll(int shift, int axis) {
        int n = self().dim(axis);
        int s = n == 0 ? 0 : Math.floorMod(shift, n);
        return s == 0 ? self() : Tensors.concat(split(axis, n - s, s).reversed(), axis);
    }

    /** Cut along an axis into parts of these sizes. */
    default List<Tensor> split(int axis, int... sizes) {
        int a = self().shape().axis(axis);
        var op = new Moves.Split(a, Arrays.stream(sizes).boxed().toList());
        return self().applyAll(op);
    }

    /** Cut along an axis into {@code count} equal parts. */
    default List<Tensor> chunk(int count, int axis) {
        int n = self().dim(axis);
        if (count < 1 || n % count != 0) {
            throw new ShapeException(
                    "chunk: axis %s of %s does not divide into %s equal parts; use split"
                            .formatted(axis, self().type(), count));
        }
        int[] sizes = new int[count];
        Arrays.fill(sizes, n / count);
        return split(axis, sizes);
    }

    /**
     * Pads each axis with {@code low} elements before and {@code high} after it, all equal to
     * {@code value}.
     */
    default Tensor pad(List<Integer> low, List<Integer> high, double value) {
        Literals.requireHeld(value, self().type());
        var shape = self().shape();
        if (low.size() != shape.rank()
                || high.size() != shape.rank()
                || Stream.concat(low.stream(), high.stream()).anyMatch(n -> n < 0)) {
            throw new ShapeException(
                    ("pad: %s before and %s after: one number from 0 on for each axis of %s is"
                                    + " needed")
                            .formatted(low, high, self().type()));
        }
        var dims = new ArrayList<Integer>();
        for (int d = 0; d < shape.rank(); d++) {
            dims.add(Moves.length("pad", (long) low.get(d) + shape.dim(d) + high.get(d)));
        }
        var part = new View.Part(shape, low, Moves.ones(shape.rank()));
        return self().apply(new Moves.Assemble(new Shape(dims), value, List.of(part)));
    }

    /** Zeros before and after each axis. */
    default Tensor pad(List<Integer> low, List<Integer> high) {
        return pad(low, high, 0);
    }

    /** A new axis of size one, which is axis {@code axis} of the result. */
    default Tensor unsqueeze(int axis) {
        var dims = new ArrayList<>(self().shape().dims());
        int a = axis < 0 ? axis + dims.size() + 1 : axis;
        if (a < 0 || a > dims.size()) {
            throw new ShapeException(
                    "unsqueeze: axis " + axis + " does not exist beside those of " + self().type());
        }
        dims.add(a, 1);
        return reshape(new Shape(dims));
    }

    /** Without the axes of size one: all of them, or those that are named. */
    default Tensor squeeze() {
        var shape = self().shape();
        return squeeze(IntStream.range(0, shape.rank()).filter(a -> shape.dim(a) == 1).toArray());
    }

    /** Without these axes, which have size one. */
    default Tensor squeeze(int... axes) {
        var shape = self().shape();
        var gone = shape.axes(Arrays.stream(axes).boxed().toList());
        for (int a : gone) {
            if (shape.dim(a) != 1) {
                throw new ShapeException(
                        "squeeze: axis %s of %s has %s elements; only an axis of size 1 can go"
                                .formatted(a, self().type(), shape.dim(a)));
            }
        }
        return reshape(shape.reduce(gone, false));
    }

    /** Axis {@code from} becomes axis {@code to}; the others keep their order. */
    default Tensor moveAxis(int from, int to) {
        var shape = self().shape();
        var axes = new ArrayList<>(shape.allAxes());
        int moved = shape.axis(from);
        axes.remove(/* index */ moved);
        axes.add(shape.axis(to), moved);
        return permute(axes);
    }

    /** Each element of an axis {@code times} times over, one after the other: a, a, b, b. */
    default Tensor repeat(int times, int axis) {
        return copies(times, axis, 1);
    }

    /** A whole axis {@code times} times over: a, b, a, b. */
    default Tensor tile(int times, int axis) {
        return copies(times, axis, 0);
    }

    private Tensor copies(int times, int axis, int behind) {
        var shape = self().shape();
        int a = shape.axis(axis);
        if (times < 0) throw new ShapeException("an axis " + times + " times over");
        int length = Moves.length("repeat", (long) times * shape.dim(a));
        var fresh = unsqueeze(a + behind);
        var stretched = fresh.broadcastTo(fresh.shape().with(a + behind, times));
        return stretched.reshape(shape.with(a, length));
    }
}
