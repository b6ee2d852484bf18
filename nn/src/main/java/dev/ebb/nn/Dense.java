package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** A dense layer: a matrix applied to the last axis. Weights are stored as [inputs, outputs]. */
public interface Dense extends Fn<Tensor, Tensor> {

    /** Replaces the dense layers of a model. */
    @FunctionalInterface
    interface Rewrite {
        /**
         * The layer that replaces {@code layer}, possibly the same.
         *
         * @param path of the layer in the model, as in the names of its tensors: {@code
         *     blocks.0.attention.out}
         */
        Dense of(String path, Dense layer);
    }

    /** Weights drawn by {@code init}, and a bias of zeros if {@code bias}. */
    static Dense of(int inputs, int outputs, boolean bias, Init init, Seed seed) {
        return bias
                ? Linear.of(inputs, outputs, init, seed)
                : Projection.of(inputs, outputs, init, seed);
    }
}
