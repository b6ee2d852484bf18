package dev.ebb.cpu.sequence;

import dev.ebb.ir.DType;

/**
 * A scalar of a compute type: a local variable, or a constant, whose local is -1.
 *
 * @param bits a constant's bits, as made by {@link #constant}
 */
record Operand(DType type, int local, long bits) {

    static Operand local(DType type, int local) {
        return new Operand(type, local, 0);
    }

    static Operand constant(DType type, double value) {
        return new Operand(
                type,
                -1,
                switch (type) {
                    case F32 -> Float.floatToRawIntBits((float) value);
                    case F64 -> Double.doubleToRawLongBits(value);
                    case I32 -> (int) (long) value;
                    case I64 -> (long) value;
                    case BOOL -> value != 0 ? 1 : 0;
                    case BF16, F16, U8, BIT ->
                            throw new IllegalArgumentException(
                                    "a constant of " + type + "; use " + type.compute());
                });
    }

    boolean isConstant() {
        return local < 0;
    }
}
