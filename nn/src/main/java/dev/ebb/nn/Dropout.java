package dev.ebb.nn;

import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

/** Zeros a share of the elements in training and scales the rest up; does nothing in use. */
public record Dropout(double share) {
    public Dropout {
        if (!(share >= 0 && share < 1)) {
            throw new IllegalArgumentException(
                    "a dropout share lies in [0, 1), not at " + share + "; 0.1 is common");
        }
    }

    /** In training, with a key of its own for every layer and step. */
    public Tensor train(Tensor x, Key key) {
        return x.dropout(share, key);
    }

    /** In use. */
    public Tensor apply(Tensor x) {
        return x;
    }
}
