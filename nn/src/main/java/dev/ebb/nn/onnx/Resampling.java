package dev.ebb.nn.onnx;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * Resamples one axis to another size: each element of the result is a weighted sum of some elements
 * of the input; the weights depend on the two sizes only.
 *
 * @param at the input element of each term, by term and element of the result
 * @param weights by term and element of the result; empty if single elements are copied
 * @param outside the elements of the result that lie beyond the input
 */
record Resampling(int[][] at, double[][] weights, boolean[] outside) {

    /**
     * Takes the nearest element only. A scale in a model is a float: a position that is an integer
     * except for rounding counts as that integer, as in runtimes that compute in floats.
     */
    static Resampling nearest(double[] places, int size, DoubleUnaryOperator rounding) {
        var at = new int[1][places.length];
        for (int i = 0; i < places.length; i++)
            at[0][i] = (int) Math.clamp(rounding.applyAsDouble((float) places[i]), 0, size - 1);
        return new Resampling(at, new double[0][], new boolean[places.length]);
    }

    /**
     * Sums with the weights of a kernel.
     *
     * @param places the positions of the result's elements among those of the input
     * @param reach how far the kernel extends to each side
     * @param stretch the factor by which it is stretched, at least 1
     * @param own whether elements beyond the input have no weight; otherwise they equal the last
     *     one
     */
    static Resampling weighted(
            double[] places,
            int size,
            DoubleUnaryOperator kernel,
            int reach,
            double stretch,
            boolean own) {
        int side = (int) -(Math.floor(-reach * stretch) + 1);
        int terms = 2 * side + 2;
        var at = new int[terms][places.length];
        var weights = new double[terms][places.length];
        for (int i = 0; i < places.length; i++) {
            double sum = 0;
            long first = (long) Math.floor(places[i]) - side;
            for (int t = 0; t < terms; t++) {
                long from = first + t;
                boolean beyond = from < 0 || from >= size;
                double weight =
                        own && beyond ? 0 : kernel.applyAsDouble((from - places[i]) / stretch);
                at[t][i] = Math.clamp(from, 0, size - 1);
                weights[t][i] = weight;
                sum += weight;
            }
            for (int t = 0; t < terms && (own || stretch > 1) && sum != 0; t++)
                weights[t][i] /= sum;
        }
        return new Resampling(at, weights, new boolean[places.length]);
    }

    /** Whether the result equals the input. */
    boolean isSame(int size) {
        if (weights.length > 0 || at[0].length != size || anyOutside()) return false;
        for (int i = 0; i < size; i++) if (at[0][i] != i) return false;
        return true;
    }

    private boolean anyOutside() {
        for (boolean one : outside) if (one) return true;
        return false;
    }

    /** Which elements of the result lie beyond the input. */
    static boolean[] beyond(double[] places, int size) {
        var outside = new boolean[places.length];
        for (int i = 0; i < places.length; i++) outside[i] = places[i] < 0 || places[i] > size - 1;
        return outside;
    }

    Tensor of(Tensor x, int axis, double value) {
        if (isSame(x.dim(axis))) return x;
        var y = picked(x, axis, 0);
        if (weights.length > 0) {
            y = y.mul(along(x, axis, weights[0]));
            for (int t = 1; t < weights.length; t++) {
                if (Arrays.stream(weights[t]).allMatch(w -> w == 0)) continue;
                y = y.add(picked(x, axis, t).mul(along(x, axis, weights[t])));
            }
        }
        if (!anyOutside()) return y;
        var marks = new double[outside.length];
        for (int i = 0; i < marks.length; i++) marks[i] = outside[i] ? 1 : 0;
        return Tensors.where(along(x, axis, marks).gt(0), Array.scalar(value).cast(x.dtype()), y);
    }

    private Tensor picked(Tensor x, int axis, int term) {
        var index = Arrays.stream(at[term]).asLongStream().toArray();
        return x.indexSelect(axis, Array.of(index));
    }

    /** Numbers along an axis, in the type of {@code x}. */
    private static Tensor along(Tensor x, int axis, double[] numbers) {
        var dims = new int[x.rank()];
        Arrays.fill(dims, 1);
        dims[axis] = numbers.length;
        return Array.of(numbers).cast(x.dtype()).reshape(Shape.of(dims));
    }
}
