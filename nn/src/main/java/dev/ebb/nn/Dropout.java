package dev.ebb.nn;

import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

/**
 * Dropout: zeros a random share of the elements in training and scales the others up; does nothing
 * in inference.
 */
public record Dropout(double share) {
    public Dropout {
        if (!(share >= 0 && share < 1)) {
            throw new IllegalArgumentException(
                    "a dropout share lies in [0, 1), not at " + share + "; 0.1 is common");
        }
    }

    /** In training; every layer and step needs a separate key. */
    public Tensor train(Tensor x, Key key) {
        return x.dropout(share, key);
    }

    /** In inference. */
    public Tensor apply(Tensor x) {
        return x;
    }
}
