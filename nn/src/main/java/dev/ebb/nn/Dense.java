package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** A matrix applied to the last axis. Weights lie as [inputs, outputs]. */
public interface Dense extends Fn<Tensor, Tensor> {

    /** What takes the place of a model's dense layers. */
    @FunctionalInterface
    interface Rewrite {
        /**
         * The layer that stands in for {@code layer}, which may be itself.
         *
         * @param path where the layer is in the model, as in the names of its tensors: {@code
         *     blocks.0.attention.out}
         */
        Dense of(String path, Dense layer);
    }

    /** Weights by {@code init}, and a bias of zeros where there is to be one. */
    static Dense of(int inputs, int outputs, boolean bias, Init init, Seed seed) {
        return bias
                ? Linear.of(inputs, outputs, init, seed)
                : Projection.of(inputs, outputs, init, seed);
    }
}
