package dev.ebb.nn;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

/** A matrix applied to the last axis. Weights lie as [inputs, outputs]. */
public sealed interface Dense extends Fn<Tensor, Tensor> permits Linear, Projection {

    /** Weights by {@code init}, and a bias of zeros where there is to be one. */
    static Dense of(int inputs, int outputs, boolean bias, Init init, Seed seed) {
        return bias
                ? Linear.of(inputs, outputs, init, seed)
                : Projection.of(inputs, outputs, init, seed);
    }
}
