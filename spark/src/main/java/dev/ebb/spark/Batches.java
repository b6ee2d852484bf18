package dev.ebb.spark;

import dev.ebb.tensor.Tensor;

import java.io.Serializable;
import java.util.List;

/**
 * Training data that depend on the step alone, such as passages of a text in memory or a generator.
 * Every rank makes the whole batch and takes its own rows.
 */
@FunctionalInterface
public interface Batches extends Serializable {

    /** The whole batch of a step: arrays whose first axis counts examples. */
    List<Tensor> at(long step);
}
