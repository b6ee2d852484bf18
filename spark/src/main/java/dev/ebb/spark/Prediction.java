package dev.ebb.spark;

import dev.ebb.tensor.Tensor;

import java.io.Serializable;

/**
 * The output of a trained model for one row.
 *
 * @param <P> the parameters
 */
@FunctionalInterface
public interface Prediction<P> extends Serializable {

    /** The outputs [1, m] for the inputs [1, n] of a row. */
    Tensor of(P model, Tensor row);
}
