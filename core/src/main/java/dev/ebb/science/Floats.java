package dev.ebb.science;

import dev.ebb.ir.DType;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

/** Checks the operands of the functions of this package. */
final class Floats {
    private Floats() {}

    /**
     * Refuses a tensor that is neither f32 nor f64: sixteen bits are too few for these functions.
     */
    static Tensor require(String function, Tensor x) {
        if (x.dtype() != DType.F32 && x.dtype() != DType.F64) {
            throw new ShapeException(
                    function + " takes f32 or f64, not " + x.type() + "; cast to one of them");
        }
        return x;
    }

    /** Refuses operands with different element types, and types other than f32 and f64. */
    static void alike(String function, Tensor... operands) {
        for (Tensor x : operands) {
            require(function, x);
            if (x.dtype() != operands[0].dtype()) {
                throw new ShapeException(
                        "%s of %s and %s: element types differ; cast one of them"
                                .formatted(function, operands[0].type(), x.type()));
            }
        }
    }
}
