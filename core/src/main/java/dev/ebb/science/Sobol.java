package dev.ebb.science;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * Sobol's quasi-random points in the unit cube (1967), in the order of Antonov and Saleev: of the
 * first 2^k points each coordinate has exactly one in each of 2^k equal intervals, from any
 * multiple of 2^k on. A coordinate is made of a primitive polynomial over the field of two
 * elements; the numbers that its recurrence begins with are chosen such that the first 2^d points
 * have one in each orthant of the cube (Sobol's property A), for every d up to the dimension. The
 * sequence is a formula: it can begin anywhere. A key flips the same random bits in all points:
 * they stay as even, each is uniform, and several keys tell the error.
 *
 * @param dimension how many coordinates, from 1 to 64
 */
public record Sobol(int dimension) {
    static final int MOST = 64;
    private static final int BITS = 32;

    public Sobol {
        if (dimension < 1 || dimension > MOST) {
            throw new IllegalArgumentException(
                    "Sobol points of dimension %s; from 1 to %s is supported"
                            .formatted(dimension, MOST));
        }
    }

    /** Points {@code first} to {@code first + count - 1} of the sequence, [count, dimension]. */
    public Tensor points(DType dtype, long first, int count) {
        return fractions(digits(dtype, first, count), dtype);
    }

    /** The same points, all with the same random bits flipped: a digital shift. */
    public Tensor points(DType dtype, long first, int count, Key key) {
        var shift = key.uniform(new Type(DType.F64, Shape.of(dimension))).mul(0x1p32);
        return fractions(digits(dtype, first, count).xor(shift.floor().cast(DType.I64)), dtype);
    }

    /** A type of 24 bits would round the last points to one: its digits are cut there. */
    private static Tensor fractions(Tensor digits, DType dtype) {
        if (dtype == DType.F64) return digits.cast(DType.F64).mul(0x1p-32);
        return digits.div(Array.scalar(1L << 8)).cast(DType.F32).mul(0x1p-24).cast(dtype);
    }

    private Tensor digits(DType dtype, long first, int count) {
        if (first < 0 || count < 0 || first + count > 1L << 31) {
            throw new ShapeException(
                    "Sobol points from %s on, %s; indices must be below 2^31"
                            .formatted(first, count));
        }
        if (dtype != DType.F64 && dtype != DType.F32)
            throw new ShapeException("Sobol points of " + dtype + "; they are F32 or F64");
        var numbers = SobolDirections.KNOWN;
        Tensor index = Tensors.iota(DType.I64, Shape.of(count, 1), 0).add((double) first);
        Tensor gray = index.xor(index.div(Array.scalar(2L)));
        Tensor point = Tensors.zeros(DType.I64, count, dimension);
        for (int bit = 0; bit < BITS && 1L << bit <= first + count; bit++) {
            var direction = new long[dimension];
            for (int d = 0; d < dimension; d++) direction[d] = numbers.of(d, bit);
            var isSet = gray.and(Array.scalar(1L << bit)).gt(0);
            point = Tensors.where(isSet, point.xor(Array.of(direction)), point);
        }
        return point;
    }
}
