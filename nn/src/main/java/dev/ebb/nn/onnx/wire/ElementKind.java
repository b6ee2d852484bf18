package dev.ebb.nn.onnx.wire;

import dev.ebb.ir.DType;

import java.util.Arrays;
import java.util.Optional;

/** ONNX's numbers for element types. */
public final class ElementKind {
    private ElementKind() {}

    /** The element type of a number in ONNX, if Ebb has it. */
    public static Optional<DType> dtype(long kind) {
        return Arrays.stream(DType.values())
                .filter(d -> d != DType.BIT && of(d) == kind)
                .findFirst();
    }

    /** The number of an element type in ONNX; a boolean is a byte there. */
    public static int of(DType dtype) {
        return switch (dtype) {
            case F32 -> 1;
            case U8 -> 2;
            case I32 -> 6;
            case I64 -> 7;
            case BOOL, BIT -> 9;
            case F16 -> 10;
            case F64 -> 11;
            case BF16 -> 16;
        };
    }
}
