package dev.ebb.nn;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Positions as rotations (Su et al., 2021): the two halves of each head's width are the parts of
 * complex numbers, turned by an angle that grows with the position. Angles, sines and cosines are
 * computed in f64 and rounded once, to the type of what is rotated.
 *
 * @param base how slowly the slowest pair turns; 10,000 in the paper
 * @param scaling how the speeds are changed for positions beyond those first trained on
 */
public record Rotary(double base, Scaling scaling) {

    /** What becomes of the speed of each pair, in radians a position. */
    public sealed interface Scaling {
        double apply(double speed);
    }

    /** Speeds as they are. */
    public record Unscaled() implements Scaling {
        @Override
        public double apply(double speed) {
            return speed;
        }
    }

    /** All speeds divided by {@code factor} (Chen et al., "Position interpolation", 2023). */
    public record Linear(double factor) implements Scaling {
        public Linear {
            requireFactor(factor);
        }

        @Override
        public double apply(double speed) {
            return speed / factor;
        }
    }

    /**
     * As Llama 3.1 does: pairs that turn fewer than {@code low} times over the positions first
     * trained on are slowed down by {@code factor}, those that turn more than {@code high} times
     * are left alone, and between the two the speed is mixed by the number of turns.
     *
     * @param positions how many positions the model was first trained on
     */
    public record Llama3(double factor, double low, double high, double positions)
            implements Scaling {
        public Llama3 {
            requireFactor(factor);
            if (!(low > 0 && high > low && positions > 0)) {
                throw new IllegalArgumentException(
                        "a rotary scaling needs 0 < low < high and positive positions, not low "
                                + low
                                + ", high "
                                + high
                                + ", positions "
                                + positions);
            }
        }

        @Override
        public double apply(double speed) {
            double turns = positions * speed / (2 * Math.PI);
            if (turns < low) return speed / factor;
            if (turns > high) return speed;
            double share = (turns - low) / (high - low);
            return (1 - share) * speed / factor + share * speed;
        }
    }

    private static void requireFactor(double factor) {
        if (factor >= 1 && factor < Double.POSITIVE_INFINITY) return;
        throw new IllegalArgumentException(
                "a rotary scaling divides by a factor of at least 1, not " + factor);
    }

    public Rotary {
        if (!(base > 1 && base < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "the base of rotary positions must be finite and more than 1, not " + base);
        }
    }

    /** Without scaling. */
    public static Rotary of(double base) {
        return new Rotary(base, new Unscaled());
    }

    /** Rotates x [batch, heads, time, width], whose first row is position {@code start}. */
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

    /** The row of each token's position, [batch, 1, time, half]; past the table, its last. */
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
        var speeds = new double[half];
        for (int i = 0; i < half; i++) {
            speeds[i] = scaling.apply(StrictMath.pow(base, -(double) i / half));
        }
        return Array.make(
                type,
                b -> {
                    for (long i = 0; i < type.size(); i++) {
                        double angle = (start + i / half) * speeds[(int) (i % half)];
                        b.set(i, of.applyAsDouble(angle));
                    }
                });
    }
}
