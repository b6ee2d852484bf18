package dev.ebb.reference;

import dev.ebb.Fn;
import dev.ebb.Fn2;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * One op at operands of a size that is chosen later. The operands lie away from the op's jumps and
 * kinks, and no two elements of one are equal, so that a small step changes nothing but the value.
 *
 * @param shape the shape of the first result, by size
 * @param sizes the sizes at which the op makes sense
 * @param smooth whether a small step changes the value by what the derivative says; an op that
 *     rounds or detaches does not
 */
public record Sample(
        String name,
        IntFunction<List<Array>> operands,
        Fn<List<Tensor>, List<Tensor>> fn,
        IntFunction<Shape> shape,
        List<Integer> sizes,
        boolean smooth) {

    /** Empty, single, odd, and longer than any vector register with a tail. */
    public static final List<Integer> SIZES = List.of(0, 1, 13, 207);

    /** An op of any operands, of any size. */
    public static Sample of(
            String name,
            IntFunction<List<Array>> operands,
            IntFunction<Shape> shape,
            Fn<List<Tensor>, Tensor> fn) {
        return new Sample(name, operands, in -> List.of(fn.apply(in)), shape, SIZES, true);
    }

    /** An elementwise op of one matrix with elements between {@code low} and {@code high}. */
    public static Sample unary(String name, double low, double high, Fn<Tensor, Tensor> fn) {
        return of(
                name,
                n -> List.of(spread(low, high, 1, 2, n)),
                n -> Shape.of(2, n),
                in -> fn.apply(in.getFirst()));
    }

    /** An elementwise op of a matrix and a row, both between {@code low} and {@code high}. */
    public static Sample binary(
            String name, double low, double high, Fn2<Tensor, Tensor, Tensor> fn) {
        return of(
                name,
                n -> List.of(spread(low, high, 1, 2, n), spread(low, high, 2, n)),
                n -> Shape.of(2, n),
                in -> fn.apply(in.getFirst(), in.getLast()));
    }

    /** An op of fixed shapes, at size {@code size} alone. */
    public Sample only(Integer... size) {
        return new Sample(name, operands, fn, shape, List.of(size), smooth);
    }

    /** An op whose value does not follow its derivative. */
    public Sample rough() {
        return new Sample(name, operands, fn, shape, sizes, false);
    }

    /** Evenly spaced numbers, shuffled; those of different seeds interleave. */
    public static Array spread(double low, double high, int seed, int... dims) {
        var type = Type.of(DType.F64, dims);
        int count = Math.toIntExact(type.size());
        var order = new ArrayList<Integer>();
        for (int i = 0; i < count; i++) order.add(i);
        Collections.shuffle(order, new Random(seed));
        double shift = 0.37 + 0.07 * (seed - 1);
        return Array.of(
                type,
                order.stream()
                        .mapToDouble(i -> low + (high - low) * (i + shift) / count)
                        .toArray());
    }

    /** Whole numbers from zero to below {@code bound}, as I64. */
    public static Array wholes(int bound, int seed, int... dims) {
        var type = Type.of(DType.I64, dims);
        var random = new Random(seed);
        return Array.of(type, random.ints(type.size(), 0, bound).asDoubleStream().toArray());
    }

    /** Truth values, about as many of each. */
    public static Array truths(int seed, int... dims) {
        var type = Type.of(DType.BOOL, dims);
        return Array.of(type, wholes(2, seed, dims).toDoubles());
    }

    @Override
    public String toString() {
        return name;
    }
}
