package dev.ebb.science;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Halton's quasi-random points: evenly spread over the unit cube, so that means converge nearly
 * with the number of points and not with its root. Coordinate {@code d} of point {@code i} is i
 * written backwards in the d-th prime, behind the point. The sequence is a formula: nothing is
 * stored, and it can begin anywhere. Shifted by a key, modulo one, the points are as even and each
 * is uniform, so that shifts by several keys tell the error (Cranley and Patterson, 1976).
 *
 * @param dimension how many coordinates, from 1 to 32; beyond ten or so the later ones are even
 *     only over many points
 */
public record Halton(int dimension) {
    private static final int MOST = 32;

    public Halton {
        if (dimension < 1 || dimension > MOST) {
            throw new IllegalArgumentException(
                    "Halton points of dimension %s; from 1 to %s is supported"
                            .formatted(dimension, MOST));
        }
    }

    /** Points {@code first} to {@code first + count - 1} of the sequence, [count, dimension]. */
    public Tensor points(DType dtype, long first, int count) {
        if (first < 0 || count < 0 || first + count > 1L << 31) {
            throw new ShapeException(
                    "Halton points from %s on, %s; indices must be below 2^31"
                            .formatted(first, count));
        }
        if (!dtype.isFloat()) throw new ShapeException("Halton points of " + dtype);
        var bases = primes(dimension);
        Tensor base = Array.of(Arrays.stream(bases).asLongStream().toArray());
        var shape = Shape.of(count, dimension);
        Tensor left = Tensors.iota(DType.I64, shape, 0).add((double) first);
        Tensor digitsBack = Tensors.zeros(DType.I64, shape);
        Tensor scale = Tensors.ones(DType.I64, shape);
        int digits = 1;
        for (long power = 2; power <= first + count; power *= 2) digits++;
        for (int i = 0; i < digits; i++) {
            var more = left.gt(0);
            var next = left.div(base);
            var digit = left.sub(next.mul(base));
            digitsBack = Tensors.where(more, digitsBack.mul(base).add(digit), digitsBack);
            scale = Tensors.where(more, scale.mul(base), scale);
            left = next;
        }
        return digitsBack.cast(DType.F64).div(scale.cast(DType.F64)).cast(dtype);
    }

    /** The same points, all shifted by one random vector, modulo one. */
    public Tensor points(DType dtype, long first, int count, Key key) {
        var shift = key.uniform(new Type(DType.F64, Shape.of(dimension)));
        var moved = points(DType.F64, first, count).add(shift);
        return Tensors.where(moved.ge(1), moved.sub(1), moved).cast(dtype);
    }

    private static int[] primes(int count) {
        return IntStream.iterate(2, n -> n + 1)
                .filter(n -> IntStream.range(2, n).noneMatch(d -> n % d == 0))
                .limit(count)
                .toArray();
    }
}
