package dev.ebb.spark;

import dev.ebb.tensor.Tensor;

import java.io.Serializable;
import java.util.List;

/**
 * Data that is a function of the step alone: a text in memory, a generator. Every rank makes the
 * whole batch and takes its rows.
 */
@FunctionalInterface
public interface Batches extends Serializable {

    /** The whole batch of a step: tensors of arrays whose first axis counts examples. */
    List<Tensor> at(long step);
}
