package dev.ebb.nn.train;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.CrossEntropy;
import dev.ebb.tensor.network.Reduction;

import java.util.stream.IntStream;

/**
 * How far outputs are from targets, row by row. The trainer takes the mean over the rows of a
 * batch, and over all rows of an evaluation.
 */
@FunctionalInterface
public interface Loss {

    /** One number a row, [rows]. */
    Tensor rows(Tensor outputs, Tensor targets);

    /**
     * For outputs [rows, ..., classes] and integers [rows, ...]; of several targets a row the mean.
     */
    static Loss crossEntropy() {
        return (outputs, targets) ->
                mean(outputs.crossEntropy(targets, CrossEntropy.mean().reduction(Reduction.NONE)));
    }

    /** For one output a target, above zero where the target is likely to be 1 rather than 0. */
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

    /** [rows, 1] where targets are [rows]. */
    private static Tensor matched(Tensor outputs, Tensor targets) {
        if (outputs.shape().size() == targets.shape().size())
            return outputs.reshape(targets.shape());
        throw new ShapeException(
                "the model gives "
                        + outputs.type()
                        + " for targets of "
                        + targets.type()
                        + "; this loss needs one output for each target");
    }

    /** The mean over all axes but the first. */
    private static Tensor mean(Tensor each) {
        return each.rank() == 1
                ? each
                : each.mean(IntStream.range(1, each.rank()).boxed().toList(), false);
    }
}
