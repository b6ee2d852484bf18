package dev.ebb.tensor.network;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

/** {@code x^2 / 2} within {@code delta} of zero, {@code delta (|x| - delta / 2)} beyond. */
record Huber(double delta) implements Unary {
    Huber {
        if (!(delta > 0)) {
            throw new ShapeException("huber_loss: delta must be positive, it is " + delta);
        }
    }

    @Override
    public Scalar at(Scalar x) {
        var near = x.max(lit(-delta)).min(lit(delta));
        return near.mul(x.sub(near.mul(lit(0.5))));
    }

    @Override
    public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
        return dy.mul(x.clamp(-delta, delta));
    }
}
