package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;

import java.util.List;

/** Bodies made to fit where they are stored. */
public final class Stored {
    private Stored() {}

    /** {@code body}, cast where its type is not the one that {@code out} is computed in. */
    public static Scalar as(Scalar body, List<DType> args, DType out) {
        return body.type(args) == out.compute() ? body : body.cast(out.compute());
    }
}
