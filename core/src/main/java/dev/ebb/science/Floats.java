package dev.ebb.science;

import dev.ebb.ir.DType;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;

/** What the functions of this room ask of their operands. */
final class Floats {
    private Floats() {}

    /** Refuses what is neither f32 nor f64: sixteen bits are too few for these functions. */
    static Tensor require(String function, Tensor x) {
        if (x.dtype() != DType.F32 && x.dtype() != DType.F64) {
            throw new ShapeException(
                    function + " takes f32 or f64, not " + x.type() + "; cast to one of them");
        }
        return x;
    }

    /** Refuses operands of several element types, and what is neither f32 nor f64. */
    static void alike(String function, Tensor... operands) {
        for (Tensor x : operands) {
            require(function, x);
            if (x.dtype() != operands[0].dtype()) {
                throw new ShapeException(
                        function
                                + " of "
                                + operands[0].type()
                                + " and "
                                + x.type()
                                + ": element types differ; cast one of them");
            }
        }
    }
}
