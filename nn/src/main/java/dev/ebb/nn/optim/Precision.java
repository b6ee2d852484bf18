package dev.ebb.nn.optim;

import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;

/** Mixed precision: a model computed in sixteen bits while its master weights stay in f32. */
public final class Precision {
    private Precision() {}

    /**
     * A model with its floats rounded to {@code dtype}. If this is done inside a loss function of
     * the master weights, their gradients have their own type.
     */
    public static <P> P rounded(P model, DType dtype) {
        return Tensorwise.map(model, t -> t.dtype().isFloat() ? t.cast(dtype) : t);
    }
}
