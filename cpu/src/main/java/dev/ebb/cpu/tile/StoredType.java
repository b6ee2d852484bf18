package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;

import java.util.List;

/** Casts the bodies of kernels to the type in which their results are stored. */
public final class StoredType {
    private StoredType() {}

    /** {@code body}, with a cast if its type is not the one in which {@code out} is computed. */
    public static Scalar as(Scalar body, List<DType> args, DType out) {
        return body.type(args) == out.compute() ? body : body.cast(out.compute());
    }
}
