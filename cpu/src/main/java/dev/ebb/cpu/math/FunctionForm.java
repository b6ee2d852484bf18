package dev.ebb.cpu.math;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;

/** How this device computes each function of floats; the only list of these functions. */
public enum FunctionForm {
    /** A few instructions, inlined into generated loops. */
    INSTRUCTIONS,
    /** Loops over vectors of f32 and of f64. */
    VECTORS,
    /** A loop over vectors of f64; in f32 element by element, rounded from double. */
    F64_VECTORS,
    /** Element by element, by the function's definition in double. */
    NUMBERS;

    public static FunctionForm of(Fn1 fn) {
        return switch (fn) {
            case NEG, ABS, SIGN, SQRT, NOT, IS_NAN -> INSTRUCTIONS;
            case EXP, EXPM1, LOG, LOG1P, SIN, COS, TANH, ERF -> VECTORS;
            case TAN, ATAN, ERFC -> F64_VECTORS;
            case FLOOR, CEIL, ROUND, CBRT, NORMAL_QUANTILE -> NUMBERS;
            case LOG2, ASIN, ACOS, SINH, COSH, ASINH, ACOSH, ATANH, ERFINV, LGAMMA -> NUMBERS;
        };
    }

    /** Whether numbers of {@code type}, F32 or F64, are computed with vectors. */
    public boolean isVector(DType type) {
        return switch (this) {
            case INSTRUCTIONS, VECTORS -> true;
            case F64_VECTORS -> type == DType.F64;
            case NUMBERS -> false;
        };
    }
}
