package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Rotary position embedding (Su et al., 2021): the two halves of each head's width are the real and
 * imaginary parts of complex numbers, rotated by an angle proportional to the position. Angles,
 * sines and cosines are computed in f64 and rounded once, to the type of the rotated tensor.
 *
 * @param base determines the speed of the slowest pair; 10,000 in the paper
 * @param scaling how the speeds are changed for positions beyond those of the original training
 */
public record Rotary(double base, RotaryScaling scaling) {

    public Rotary {
        if (!(base > 1 && base < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "the base of rotary positions must be finite and more than 1, not " + base);
        }
    }

    /** Without scaling. */
    public static Rotary of(double base) {
        return new Rotary(base, new RotaryScaling.Unscaled());
    }

    /** Rotates x [batch, heads, time, width], whose first row has position {@code start}. */
    public Tensor apply(Tensor x, int start) {
        var type = new Type(x.dtype(), Shape.of(x.dim(-2), x.dim(-1) / 2));
        return turned(x, table(type, start, StrictMath::cos), table(type, start, StrictMath::sin));
    }

    /** Rotates x [batch, heads, time, width] at positions below {@code context}. */
    public Tensor apply(Tensor x, Positions at, int context) {
        var type = new Type(x.dtype(), Shape.of(context, x.dim(-1) / 2));
        return turned(
                x,
                rows(table(type, 0, StrictMath::cos), at, x),
                rows(table(type, 0, StrictMath::sin), at, x));
    }

    /**
     * The table's row for each token's position, [batch, 1, time, half]; beyond the table, its last
     * row.
     */
    private static Tensor rows(Tensor table, Positions at, Tensor x) {
        var position = at.of(x.dim(-2)).minimum(table.dim(0) - 1);
        return table.embedding(position).unsqueeze(1);
    }

    private static Tensor turned(Tensor x, Tensor cos, Tensor sin) {
        int half = x.dim(-1) / 2;
        var a = x.slice(-1, 0, half);
        var b = x.slice(-1, half, 2 * half);
        return Tensors.concat(List.of(a.mul(cos).sub(b.mul(sin)), b.mul(cos).add(a.mul(sin))), -1);
    }

    private Array table(Type type, int start, DoubleUnaryOperator of) {
        int half = type.shape().dim(1);
        var speeds = scaling.speeds(base, half, start + type.shape().dim(0));
        double size = scaling.size();
        return Array.make(
                type,
                b -> {
                    for (long i = 0; i < type.size(); i++) {
                        double angle = (start + i / half) * speeds[(int) (i % half)];
                        b.set(i, size * of.applyAsDouble(angle));
                    }
                });
    }
}
