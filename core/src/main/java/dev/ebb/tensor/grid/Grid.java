package dev.ebb.tensor.grid;

import dev.ebb.ir.DType;
import dev.ebb.ir.Region;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Recording;
import dev.ebb.tensor.Tensor;

import java.util.List;

/**
 * Floats at equal distances, on which addition can be undone. Floating-point addition cannot:
 * {@code (x + f) - f} is not {@code x}, for the sum was rounded. A tensor on a grid holds {@code i
 * * 2^-bits} with {@code i} a whole number in {@code [-h, h)}, where {@code h} is {@code 2^23} in
 * f32 and {@code 2^52} in f64; to everything that reads it, it is an ordinary float tensor. Adding
 * rounds {@code f} to the grid and adds in whole numbers, modulo {@code 2h}, as integers wrap.
 * Subtracting the same {@code f} then gives back every bit, after an overflow too.
 *
 * <p>Why it is exact in floats. Multiplying by a power of two is. What is added was checked to be
 * at most {@code h - 1} in size, so {@code u = f * 2^bits} lies in {@code (-h, h)} and {@code u +
 * h}, for {@code u >= 0}, in {@code [h, 2h)}, where floats are whole numbers at distance one: the
 * sum is rounded half to even to a whole number, and taking {@code h} away again leaves just that,
 * {@code r}; for {@code u < 0} likewise with {@code -h}. Then {@code i + r} lies in {@code [-2h,
 * 2h)}, all whole numbers of which are floats, and so does what is left after {@code 2h} is taken
 * away or added. No zero is ever negative: a sum of two opposites is positive zero, and so are both
 * terms.
 *
 * <p>The rounding passes its gradient straight through, as if there were no grid.
 *
 * @param bits binary digits after the point: more are finer, fewer reach further
 */
public record Grid(int bits) {
    private static final int MOST_BITS = 64;

    public Grid {
        if (bits < -MOST_BITS || bits > MOST_BITS) {
            throw new IllegalArgumentException(
                    "a grid of "
                            + bits
                            + " fractional bits; choose between "
                            + -MOST_BITS
                            + " and "
                            + MOST_BITS
                            + ", 16 is common for f32 and 40 for f64");
        }
    }

    /** What suits most: to 128 in steps of 2^-16 in f32, to 4096 in steps of 2^-40 in f64. */
    public static Grid of(DType type) {
        return new Grid(half(type) == 0x1p23 ? 16 : 40);
    }

    /**
     * {@code x} rounded to the grid. Where a run finds a value that is not finite or lies beyond
     * the grid's ends, it stops with a {@link GridException} that names it.
     */
    public Tensor enter(Tensor x) {
        return x.apply(new GridOps.GridEnter(this), checked(x, "what enters the grid"));
    }

    /**
     * {@code x + f} for an {@code x} on this grid: what {@link #enter} or an addition gave. Where a
     * run finds an {@code f} that is not finite or lies beyond the grid's ends, it stops with a
     * {@link GridException}; a sum beyond them comes in again at the other end.
     */
    public Tensor add(Tensor x, Tensor f) {
        return x.apply(new GridOps.GridAdd(this), f, checked(f, "what is added on the grid"));
    }

    /** {@code x - f}, likewise: what undoes {@link #add} of the same {@code f}. */
    public Tensor sub(Tensor x, Tensor f) {
        return x.apply(new GridOps.GridSub(this), f, checked(f, "what is subtracted on the grid"));
    }

    /** {@code x * 2^power} for an {@code x} on this grid; it lies on the grid {@link #scaled}. */
    public Tensor scale(Tensor x, int power) {
        return x.apply(new GridOps.GridScale(this, power));
    }

    /** Where the numbers of this grid lie when multiplied by {@code 2^power}. */
    public Grid scaled(int power) {
        return new Grid(bits - power);
    }

    private Tensor checked(Tensor x, String what) {
        var region = Recording.of(List.of(x), what).map(r -> r.graph().region()).orElse(Region.TOP);
        var where = region.isTop() ? what : what + " in " + region;
        return x.apply(new GridOps.GridLargest()).apply(new GridOps.GridFits(this, where), x);
    }

    /** The distance between neighbours. */
    public double step() {
        return Math.scalb(1.0, -bits);
    }

    /** What lies on this grid in {@code type} is at most this far from zero. */
    public double reach(DType type) {
        return (half(type) - 1) * step();
    }

    /** Half the count of whole numbers that a grid in {@code type} has. */
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
