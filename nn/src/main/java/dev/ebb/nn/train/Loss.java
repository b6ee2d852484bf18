package dev.ebb.nn.train;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.CrossEntropy;
import dev.ebb.tensor.network.Reduction;

import java.util.stream.IntStream;

/**
 * A loss for each row. The trainer averages over the rows of a batch, and over all rows of an
 * evaluation.
 */
@FunctionalInterface
public interface Loss {

    /** One number per row, [rows]. */
    Tensor rows(Tensor outputs, Tensor targets);

    /**
     * For outputs [rows, ..., classes] and integers [rows, ...]; the mean if a row has several
     * targets.
     */
    static Loss crossEntropy() {
        return (outputs, targets) ->
                mean(outputs.crossEntropy(targets, CrossEntropy.mean().reduction(Reduction.NONE)));
    }

    /** For one output per target, which is positive if the target is more likely 1 than 0. */
    static Loss binaryCrossEntropy() {
        return (outputs, targets) -> {
            var matched = matched(outputs, targets);
            return mean(matched.bceWithLogits(targets.cast(outputs.dtype()), Reduction.NONE));
        };
    }

    /** The mean of the squares of the differences. */
    static Loss meanSquared() {
        return (outputs, targets) ->
                mean(
                        matched(outputs, targets)
                                .mseLoss(targets.cast(outputs.dtype()), Reduction.NONE));
    }

    /** Targets of shape [rows] reshaped to outputs of shape [rows, 1]. */
    private static Tensor matched(Tensor outputs, Tensor targets) {
        if (outputs.shape().size() == targets.shape().size())
            return outputs.reshape(targets.shape());
        throw new ShapeException(
                "the model gives %s for targets of %s; this loss needs one output for each target"
                        .formatted(outputs.type(), targets.type()));
    }

    /** The mean over all axes except the first. */
    private static Tensor mean(Tensor each) {
        return each.rank() == 1
                ? each
                : each.mean(IntStream.range(1, each.rank()).boxed().toList(), false);
    }
}
