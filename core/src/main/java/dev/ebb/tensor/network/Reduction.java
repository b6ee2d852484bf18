package dev.ebb.tensor.network;

import dev.ebb.tensor.Tensor;

/** How the losses of single elements are combined: their mean, their sum, or not at all. */
public enum Reduction {
    NONE,
    SUM,
    MEAN;

    Tensor of(Tensor losses) {
        return switch (this) {
            case NONE -> losses;
            case SUM -> losses.sum();
            case MEAN -> losses.mean();
        };
    }

    /**
     * As {@link #of}, where only elements of weight one count; the losses of the others are zero.
     */
    Tensor of(Tensor losses, Tensor weights) {
        return switch (this) {
            case NONE -> losses;
            case SUM -> losses.sum();
            case MEAN -> losses.sum().div(weights.sum());
        };
    }
}
