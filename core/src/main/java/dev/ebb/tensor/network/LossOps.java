package dev.ebb.tensor.network;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

/**
 * Loss functions. Each is a mean unless a {@link Reduction} says otherwise. Losses of sixteen-bit
 * floats are computed in f32 and rounded once.
 */
public interface LossOps {

    private Tensor self() {
        return (Tensor) this;
    }

    private static Tensor wide(Tensor x) {
        return x.cast(Moments.wide(x));
    }

    private Tensor difference(String name, Tensor y) {
        return wide(self()).sub(wide(matched(name, y)));
    }

    /**
     * One may broadcast to the other's shape, but not both to a third shape: outputs [n, 1] and
     * targets [n] would be compared in all pairs, and a model would learn the mean of all targets.
     */
    private Tensor matched(String name, Tensor y) {
        var both = Shape.broadcast(self().shape(), y.shape());
        if (both.equals(self().shape()) || both.equals(y.shape())) return y;
        throw new ShapeException(
                ("%s of %s and %s would compare every element with every other, as %s; reshape one"
                                + " of them to the other's shape")
                        .formatted(name, self().type(), y.type(), both));
    }

    private Tensor narrowed(Tensor loss) {
        return loss.cast(self().dtype());
    }

    /** {@link #crossEntropy(Tensor, CrossEntropy)}, the mean over all rows. */
    default Tensor crossEntropy(Tensor targets) {
        return crossEntropy(targets, CrossEntropy.mean());
    }

    /**
     * The cross entropy of these logits, [..., classes], and targets, integers of shape [...]. For
     * the derivative only the logits and two numbers per row are kept, from which the softmax is
     * recomputed.
     */
    default Tensor crossEntropy(Tensor targets, CrossEntropy options) {
        return options.of(self(), targets);
    }

    default Tensor mseLoss(Tensor y) {
        return mseLoss(y, Reduction.MEAN);
    }

    /** The square of the difference. */
    default Tensor mseLoss(Tensor y, Reduction reduction) {
        return narrowed(reduction.of(difference("mse_loss", y).square()));
    }

    default Tensor l1Loss(Tensor y) {
        return l1Loss(y, Reduction.MEAN);
    }

    /** The magnitude of the difference. */
    default Tensor l1Loss(Tensor y, Reduction reduction) {
        return narrowed(reduction.of(difference("l1_loss", y).abs()));
    }

    default Tensor huberLoss(Tensor y, double delta) {
        return huberLoss(y, delta, Reduction.MEAN);
    }

    /**
     * Half the square of the difference up to {@code delta}, then a straight line. That is {@code
     * delta (|x| - delta / 2)}.
     */
    default Tensor huberLoss(Tensor y, double delta, Reduction reduction) {
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
        return narrowed(reduction.of(difference("huber_loss", y).apply(new Huber(delta))));
    }

    default Tensor bceWithLogits(Tensor y) {
        return bceWithLogits(y, Reduction.MEAN);
    }

    /**
     * The cross-entropy of probabilities {@code y} and the sigmoid of these logits: {@code
     * softplus(x) - x y}.
     */
    default Tensor bceWithLogits(Tensor y, Reduction reduction) {
        var x = wide(self());
        return narrowed(reduction.of(x.softplus().sub(x.mul(wide(matched("bce_with_logits", y))))));
    }
}
