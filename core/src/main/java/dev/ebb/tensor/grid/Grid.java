package dev.ebb.tensor.grid;

import dev.ebb.ir.DType;
import dev.ebb.ir.Region;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * A grid of equally spaced floats, on which an addition can be undone exactly. In ordinary
 * floating-point arithmetic {@code (x + f) - f} may differ from {@code x}, because the sum is
 * rounded. The elements of a tensor on a grid are {@code i * 2^-bits}, where {@code i} is a whole
 * number in {@code [-h, h)}, and {@code h} is {@code 2^23} in f32 and {@code 2^52} in f64. All
 * other ops read such a tensor as an ordinary float tensor. An addition on the grid rounds {@code
 * f} to the grid and adds whole numbers modulo {@code 2h}, as integer addition wraps around.
 * Subtracting the same {@code f} restores every bit of {@code x}, also after an overflow.
 *
 * <p>Why floats compute this exactly. Multiplying by a power of two is exact. Let {@code u = f *
 * 2^bits}; the size of {@code u} was checked to be at most {@code h - 1}. For {@code u >= 0}, the
 * sum {@code u + h} lies in {@code [h, 2h)}, where the floats are the whole numbers. So this sum is
 * rounded (half to even) to a whole number, and subtracting {@code h} again gives {@code r}, which
 * is {@code u} rounded. For {@code u < 0} the same holds with {@code -h}. Then {@code i + r} lies
 * in {@code [-2h, 2h)}, where all whole numbers are floats, and so does the result of adding or
 * subtracting {@code 2h}. A zero is never negative: the sum of a number and its negative is
 * positive zero, and the zeros that are added are positive.
 *
 * <p>The derivative of the rounding is taken to be one, as if there were no grid.
 *
 * @param bits binary digits after the point: more make the steps smaller, fewer the range larger
 */
public record Grid(int bits) {
    private static final int MOST_BITS = 64;

    public Grid {
        if (bits < -MOST_BITS || bits > MOST_BITS) {
            throw new IllegalArgumentException(
                    ("a grid of %s fractional bits; choose between %s and %s, 16 is common for f32"
                                    + " and 40 for f64")
                            .formatted(bits, -MOST_BITS, MOST_BITS));
        }
    }

    /** A common choice: up to 128 in steps of 2^-16 in f32, up to 4096 in steps of 2^-40 in f64. */
    public static Grid of(DType type) {
        return new Grid(half(type) == 0x1p23 ? 16 : 40);
    }

    /**
     * {@code x} rounded to the grid. A run in which an element is not finite or lies beyond the
     * ends of the grid stops with a {@link GridException} that names the value.
     */
    public Tensor enter(Tensor x) {
        return x.apply(new GridOps.GridEnter(this), checked(x, "what enters the grid"));
    }

    /**
     * {@code x + f} for an {@code x} on this grid, the result of {@link #enter} or of an addition.
     * A run in which an element of {@code f} is not finite or lies beyond the ends of the grid
     * stops with a {@link GridException}. A sum beyond one end wraps around to the other.
     */
    public Tensor add(Tensor x, Tensor f) {
        return x.apply(
                new GridOps.GridSum(this, false), f, checked(f, "what is added on the grid"));
    }

    /** {@code x - f}, computed in the same way: it undoes {@link #add} of the same {@code f}. */
    public Tensor sub(Tensor x, Tensor f) {
        return x.apply(
                new GridOps.GridSum(this, true), f, checked(f, "what is subtracted on the grid"));
    }

    /** {@code x * 2^power} for an {@code x} on this grid; the result is on {@link #scaled}. */
    public Tensor scale(Tensor x, int power) {
        return x.apply(new GridOps.GridScale(this, power));
    }

    /** The grid of the numbers of this grid multiplied by {@code 2^power}. */
    public Grid scaled(int power) {
        return new Grid(bits - power);
    }

    private Tensor checked(Tensor x, String operation) {
        var region =
                Recording.of(List.of(x), operation).map(r -> r.graph().region()).orElse(Region.TOP);
        var where = region.isTop() ? operation : operation + " in " + region;
        return x.apply(new GridOps.GridLargest()).apply(new GridOps.GridFits(this, where), x);
    }

    /** The distance between neighbours. */
    public double step() {
        return Math.scalb(1.0, -bits);
    }

    /** The largest number of this grid in {@code type}. */
    public double reach(DType type) {
        return (half(type) - 1) * step();
    }

    /** Half the number of elements of a grid in {@code type}. */
    static double half(DType type) {
        return switch (type) {
            case F32 -> 0x1p23;
            case F64 -> 0x1p52;
            case BF16, F16, I32, I64, U8, BOOL, BIT ->
                    throw new ShapeException(
                            "a grid needs f32 or f64, not "
                                    + type
                                    + ", which has too few digits or none after the point; cast to"
                                    + " f32 first");
        };
    }
}
