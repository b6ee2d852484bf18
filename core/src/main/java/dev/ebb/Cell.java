package dev.ebb;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;
import dev.ebb.tensor.Traced;
import dev.ebb.tensor.op.Overwrite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A variable that can be written: in a function that is traced, on a tape, or on plain arrays.
 * Every write makes a new version, and a derivative sees the version it used; where the old version
 * is dead, the layout lets the new one take its memory.
 *
 * <p>A cell belongs to the function it was made in. Inside the body of a loop or a branch, which is
 * a function of its own, a cell from outside can be read but not written; there the variable is the
 * carry, and a cell for it is made inside:
 *
 * <pre>{@code
 * x.set(Loop.repeat(10, x.get(), carry -> {
 *     var c = new Cell(carry);
 *     c.update(Tensor::sin);
 *     c.assign(0, 2, 3, noise);
 *     return c.get();
 * }));
 * }</pre>
 */
public final class Cell {
    private final Optional<Recording> home;
    private Tensor version;

    public Cell(Tensor initial) {
        home = Recording.of(List.of(initial), "a cell");
        version = initial;
    }

    /** The latest version. */
    public Tensor get() {
        if (version instanceof Traced(var owner, _) && !owner.isOpen()) {
            throw new IllegalStateException(
                    "this cell belongs to a function that has returned or to a tape that is closed;"
                            + " return its value, or copy it out with array(), before that");
        }
        return version;
    }

    /** The next version: a tensor of the same type. */
    public void set(Tensor value) {
        var old = get();
        if (!value.type().equals(old.type())) {
            throw new ShapeException(
                    "a cell of type " + old.type() + " cannot hold " + value.type());
        }
        var here = Recording.of(List.of(value, old), "a cell");
        if (!here.equals(home)) {
            throw new IllegalStateException(
                    "a cell can be written only in the function that made it, since a write"
                            + " elsewhere would be lost; pass its value to the body of a loop or"
                            + " branch, and return the new value");
        }
        version = value;
    }

    /** The next version, computed from this one. */
    public void update(UnaryOperator<Tensor> f) {
        set(f.apply(get()));
    }

    /** Writes {@code part} over the indices {@code [from, to)} of an axis; it may be broadcast. */
    public void assign(int axis, int from, int to, Tensor part) {
        var x = get();
        int a = x.shape().axis(axis);
        int size = x.shape().dim(a);
        if (from < 0 || to < from || to > size) {
            throw new ShapeException(
                    "[" + from + ", " + to + ") is not within axis " + axis + " of " + x.type());
        }
        if (to == from) return;
        var shape = x.shape().with(a, to - from);
        var start = new ArrayList<>(Collections.nCopies(x.rank(), 0));
        start.set(a, from);
        set(x.apply(new Overwrite(start), part.broadcastTo(shape)));
    }

    /** Writes {@code value} where {@code mask} holds; both may be broadcast. */
    public void assignWhere(Tensor mask, Tensor value) {
        set(Tensors.where(mask, value, get()));
    }
}
