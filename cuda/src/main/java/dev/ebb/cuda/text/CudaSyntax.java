package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.List;

/** Types, constants and function names in CUDA C++ syntax. */
public final class CudaSyntax {
    private CudaSyntax() {}

    /** The type in which an element is stored; eight elements of {@link DType#BIT} share a byte. */
    public static String stored(DType type) {
        return switch (type) {
            case F32, F64, BF16, F16, I32, I64, U8, BOOL -> type.toString();
            case BIT -> "u8";
        };
    }

    /** The type in which an element is computed. */
    public static String computed(DType type) {
        return stored(type.compute());
    }

    /** The type that moves an element's bits unchanged. */
    static String raw(DType type) {
        return switch (type) {
            case F32, I32 -> "u32";
            case F64, I64 -> "u64";
            case BF16, F16 -> "u16";
            case U8, BOOL, BIT -> "u8";
        };
    }

    public static String literal(DType type, double x) {
        return switch (type.compute()) {
            case F32 -> real("F32", (float) x, Float.toString((float) x) + "f");
            case F64 -> real("F64", x, Double.toString(x));
            case I32 -> whole((int) (long) x);
            case I64 -> whole((long) x);
            case BOOL -> x != 0 ? "true" : "false";
            case BF16, F16, U8, BIT ->
                    throw new IllegalStateException(type + " is not computed in");
        };
    }

    private static String real(String type, double x, String digits) {
        if (Double.isNaN(x)) return type + "_NAN";
        if (Double.isInfinite(x)) return (x < 0 ? "-" : "") + type + "_INFINITY";
        return digits;
    }

    static String whole(int x) {
        return x == Integer.MIN_VALUE ? "(-2147483647 - 1)" : Integer.toString(x);
    }

    static String whole(long x) {
        return x == Long.MIN_VALUE ? "(-9223372036854775807LL - 1)" : x + "LL";
    }

    /** The neutral element of {@code combine}. */
    static String identity(Combine combine, DType type) {
        return switch (combine) {
            case SUM -> literal(type, 0);
            case PROD -> literal(type, 1);
            case MAX -> end(type, true);
            case MIN -> end(type, false);
        };
    }

    private static String end(DType type, boolean least) {
        return switch (type.compute()) {
            case F32, F64 ->
                    literal(type, least ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
            case I32 -> whole(least ? Integer.MIN_VALUE : Integer.MAX_VALUE);
            case I64 -> whole(least ? Long.MIN_VALUE : Long.MAX_VALUE);
            case BOOL -> least ? "false" : "true";
            case BF16, F16, U8, BIT ->
                    throw new IllegalStateException(type + " is not computed in");
        };
    }

    static String combine(Combine combine) {
        return switch (combine) {
            case SUM -> "add";
            case PROD -> "mul";
            case MAX -> "maximum";
            case MIN -> "minimum";
        };
    }

    /** Whether an element number, or an offset of one of the views, is too large for an int. */
    static boolean isLarge(Shape shape, List<View> views) {
        if (shape.size() > LARGE) return true;
        for (View view : views) {
            long far = Math.abs(view.offset());
            for (int d = 0; d < shape.rank(); d++) {
                far += Math.abs(view.stride(d)) * Math.max(0, shape.dim(d) - 1);
            }
            if (far > LARGE) return true;
        }
        return false;
    }

    /** The limit for ints; leaves space for the threads of a grid beyond the last element. */
    private static final long LARGE = Integer.MAX_VALUE - (1 << 20);
}
