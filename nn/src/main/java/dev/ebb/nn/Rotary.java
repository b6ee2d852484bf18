package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Positions as rotations (Su et al., 2021): the two halves of each head's width are the parts of
 * complex numbers, turned by an angle that grows with the position.
 *
 * @param base how slowly the slowest pair turns; 10,000 in the paper
 */
public record Rotary(double base) {

    /** Rotates x [batch, heads, time, width], whose first row is position {@code start}. */
    public Tensor apply(Tensor x, int start) {
        int half = x.dim(-1) / 2;
        var cos = table(x.dim(-2), half, start, StrictMath::cos).cast(x.dtype());
        var sin = table(x.dim(-2), half, start, StrictMath::sin).cast(x.dtype());
        var a = x.slice(-1, 0, half);
        var b = x.slice(-1, half, 2 * half);
        return Tensors.concat(List.of(a.mul(cos).sub(b.mul(sin)), b.mul(cos).add(a.mul(sin))), -1);
    }

    private Tensor table(int time, int half, int start, DoubleUnaryOperator of) {
        var data = new float[time * half];
        for (int t = 0; t < time; t++) {
            for (int i = 0; i < half; i++) {
                double angle = (start + t) * StrictMath.pow(base, -(double) i / half);
                data[t * half + i] = (float) of.applyAsDouble(angle);
            }
        }
        return Array.of(Shape.of(time, half), data);
    }
}
