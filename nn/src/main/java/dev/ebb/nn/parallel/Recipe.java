package dev.ebb.nn.parallel;

import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Tensor;

import java.io.Serializable;
import java.util.List;

/**
 * The model, loss and optimizer of a training, in a serializable form: every rank makes its own
 * model from it, and all are equal. A record of sizes and seeds is best.
 *
 * @param <P> the parameters: a record, list or map of tensors
 */
public interface Recipe<P> extends Serializable {

    /** The initial parameters: the same at every call. */
    P model();

    /**
     * The mean loss over the examples of a batch.
     *
     * @param batch tensors whose first axis counts examples
     */
    Tensor loss(P model, List<Tensor> batch);

    Optimizer optimizer();

    /** Gradients are scaled so that their norm is at most this; infinite for no clipping. */
    default double largestNorm() {
        return Double.POSITIVE_INFINITY;
    }
}
