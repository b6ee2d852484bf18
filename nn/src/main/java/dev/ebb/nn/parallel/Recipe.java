package dev.ebb.nn.parallel;

import dev.ebb.nn.optim.Optimizer;
import dev.ebb.tensor.Tensor;

import java.io.Serializable;
import java.util.List;

/**
 * What is trained, in a form that can be sent to where it is trained: every rank makes its own
 * model by it, and all come out alike. A record of sizes and seeds serves best.
 *
 * @param <P> the parameters: a record, list or map of tensors
 */
public interface Recipe<P> extends Serializable {

    /** The parameters before the first step: the same at every call. */
    P model();

    /**
     * The mean loss over the examples of a batch.
     *
     * @param batch tensors whose first axis counts examples
     */
    Tensor loss(P model, List<Tensor> batch);

    Optimizer optimizer();

    /** Gradients are scaled down so that their norm is at most this; none are without a bound. */
    default double largestNorm() {
        return Double.POSITIVE_INFINITY;
    }
}
