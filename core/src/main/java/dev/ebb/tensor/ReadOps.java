package dev.ebb.tensor;

import dev.ebb.ir.ShapeException;

import java.util.Arrays;

/**
 * Reading a tensor's elements. Results of compiled functions and tensors on a tape have them; in a
 * function that is being traced there are none yet, and reading throws an exception that says what
 * to do instead.
 */
public interface ReadOps {

    private Array array(String caller) {
        return switch ((Tensor) this) {
            case Array array -> array;
            case Traced traced -> traced.owner().read(traced, caller);
        };
    }

    /** The only element. */
    default double item() {
        var all = array("item()");
        if (all.type().size() != 1) {
            throw new ShapeException(
                    "item() needs one element, this is "
                            + all.type()
                            + "; name one with get, or reduce with sum() or mean()");
        }
        return all.data().get(0);
    }

    /** The element at one index an axis, each counted from the end if negative. */
    default double get(int... index) {
        var all = array("get" + Arrays.toString(index));
        return all.data().get(position(all, index));
    }

    private static long position(Array all, int... index) {
        var shape = all.shape();
        if (index.length != shape.rank()) {
            throw new ShapeException(
                    ("get%s of %s: give one index for each of %s axes, or take a slice with"
                                    + " at(axis, index)")
                            .formatted(Arrays.toString(index), all.type(), shape.rank()));
        }
        long position = 0;
        for (int d = 0; d < index.length; d++) {
            int i = index[d] < 0 ? index[d] + shape.dim(d) : index[d];
            if (i < 0 || i >= shape.dim(d)) {
                throw new IndexOutOfBoundsException(
                        "index %s of axis %s of %s; it must be below %s"
                                .formatted(index[d], d, all.type(), shape.dim(d)));
            }
            position = position * shape.dim(d) + i;
        }
        return position;
    }

    /** All elements in row-major order. */
    default double[] toDoubles() {
        var data = array("toDoubles()").data();
        var out = new double[Math.toIntExact(data.size())];
        for (int i = 0; i < out.length; i++) out[i] = data.get(i);
        return out;
    }

    /** All elements in row-major order, each rounded to the nearest float. */
    default float[] toFloats() {
        return array("toFloats()").floats();
    }

    /** All elements in row-major order; floats are cut as Java's casts do. */
    default long[] toLongs() {
        var data = array("toLongs()").data();
        var out = new long[Math.toIntExact(data.size())];
        for (int i = 0; i < out.length; i++) out[i] = data.getLong(i);
        return out;
    }

    /** As {@link #toLongs}; an element that an int does not hold is an error. */
    default int[] toInts() {
        return Arrays.stream(array("toInts()").toLongs()).mapToInt(ReadOps::toInt).toArray();
    }

    private static int toInt(long element) {
        if (element != (int) element)
            throw new ArithmeticException(
                    "toInts() of " + element + ", which an int does not hold; use toLongs()");
        return (int) element;
    }

    /** Whether both have the same type and the same bits. */
    default boolean sameBits(Tensor other) {
        return array("sameBits()").equalBits(((ReadOps) other).array("sameBits()"));
    }
}
