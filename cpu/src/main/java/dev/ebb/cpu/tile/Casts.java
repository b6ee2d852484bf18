package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.math.Half;

/**
 * Steps from a register of one type to a register of another, with the rounding of {@link
 * dev.ebb.ir.Scalar.Cast}.
 */
final class Casts {
    private Casts() {}

    static TileStep step(DType from, DType to, int a, int o) {
        return switch (from) {
            case F32 -> fromF32(to, a, o);
            case F64 -> fromF64(to, a, o);
            case I32, BOOL -> fromI32(to, a, o);
            case I64 -> fromI64(to, a, o);
            case BF16, F16, U8, BIT ->
                    throw new IllegalArgumentException("no register is of " + from);
        };
    }

    private static TileStep fromF32(DType to, int a, int o) {
        return switch (to) {
            case F32 -> (t, _, n) -> System.arraycopy(t.f32, a, t.f32, o, n);
            case F64 -> (t, _, n) -> widen(t.f32, a, t.f64, o, n);
            case BF16 -> (t, _, n) -> throughBf16(t.f32, a, o, n);
            case F16 -> (t, _, n) -> throughF16(t.f32, a, o, n);
            case I32 -> (t, _, n) -> toInt(t.f32, a, t.i32, o, n);
            case I64 -> (t, _, n) -> toLong(t.f32, a, t.i64, o, n);
            case U8 -> (t, _, n) -> toByte(t.f32, a, t.i32, o, n);
            case BOOL, BIT -> (t, _, n) -> toTruth(t.f32, a, t.i32, o, n);
        };
    }

    private static TileStep fromF64(DType to, int a, int o) {
        return switch (to) {
            case F32 -> (t, _, n) -> narrow(t.f64, a, t.f32, o, n);
            case F64 -> (t, _, n) -> System.arraycopy(t.f64, a, t.f64, o, n);
            case BF16 ->
                    (t, p, n) -> {
                        narrow(t.f64, a, t.f32, o, n);
                        throughBf16(t.f32, o, o, n);
                    };
            case F16 ->
                    (t, p, n) -> {
                        narrow(t.f64, a, t.f32, o, n);
                        throughF16(t.f32, o, o, n);
                    };
            case I32 -> (t, _, n) -> toInt(t.f64, a, t.i32, o, n);
            case I64 -> (t, _, n) -> toLong(t.f64, a, t.i64, o, n);
            case U8 -> (t, _, n) -> toByte(t.f64, a, t.i32, o, n);
            case BOOL, BIT -> (t, _, n) -> toTruth(t.f64, a, t.i32, o, n);
        };
    }

    private static TileStep fromI32(DType to, int a, int o) {
        return switch (to) {
            case F32 -> (t, _, n) -> toFloat(t.i32, a, t.f32, o, n);
            case F64 -> (t, _, n) -> toDouble(t.i32, a, t.f64, o, n);
            case BF16 ->
                    (t, _, n) -> {
                        toFloat(t.i32, a, t.f32, o, n);
                        throughBf16(t.f32, o, o, n);
                    };
            case F16 ->
                    (t, _, n) -> {
                        toFloat(t.i32, a, t.f32, o, n);
                        throughF16(t.f32, o, o, n);
                    };
            case I32 -> (t, _, n) -> System.arraycopy(t.i32, a, t.i32, o, n);
            case I64 -> (t, _, n) -> toLong(t.i32, a, t.i64, o, n);
            case U8 -> (t, _, n) -> toByte(t.i32, a, o, n);
            case BOOL, BIT -> (t, _, n) -> toTruth(t.i32, a, o, n);
        };
    }

    private static TileStep fromI64(DType to, int a, int o) {
        return switch (to) {
            case F32 -> (t, _, n) -> toFloat(t.i64, a, t.f32, o, n);
            case F64 -> (t, _, n) -> toDouble(t.i64, a, t.f64, o, n);
            case BF16 ->
                    (t, _, n) -> {
                        toFloat(t.i64, a, t.f32, o, n);
                        throughBf16(t.f32, o, o, n);
                    };
            case F16 ->
                    (t, _, n) -> {
                        toFloat(t.i64, a, t.f32, o, n);
                        throughF16(t.f32, o, o, n);
                    };
            case I32 -> (t, _, n) -> toInt(t.i64, a, t.i32, o, n);
            case I64 -> (t, _, n) -> System.arraycopy(t.i64, a, t.i64, o, n);
            case U8 -> (t, _, n) -> toByte(t.i64, a, t.i32, o, n);
            case BOOL, BIT -> (t, _, n) -> toTruth(t.i64, a, t.i32, o, n);
        };
    }

    private static void widen(float[] x, int a, double[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = x[a + i];
    }

    private static void narrow(double[] x, int a, float[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (float) x[a + i];
    }

    private static void throughBf16(float[] x, int a, int o, int n) {
        for (int i = 0; i < n; i++) x[o + i] = Half.fromBf16(Half.toBf16(x[a + i]));
    }

    private static void throughF16(float[] x, int a, int o, int n) {
        for (int i = 0; i < n; i++) x[o + i] = Float.float16ToFloat(Float.floatToFloat16(x[a + i]));
    }

    private static void toInt(float[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (int) x[a + i];
    }

    private static void toInt(double[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (int) x[a + i];
    }

    private static void toInt(long[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (int) x[a + i];
    }

    private static void toLong(float[] x, int a, long[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (long) x[a + i];
    }

    private static void toLong(double[] x, int a, long[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (long) x[a + i];
    }

    private static void toLong(int[] x, int a, long[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = x[a + i];
    }

    private static void toByte(float[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (int) x[a + i] & 0xff;
    }

    private static void toByte(double[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (int) x[a + i] & 0xff;
    }

    private static void toByte(int[] x, int a, int o, int n) {
        for (int i = 0; i < n; i++) x[o + i] = x[a + i] & 0xff;
    }

    private static void toByte(long[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (int) x[a + i] & 0xff;
    }

    private static void toTruth(float[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = x[a + i] != 0 ? 1 : 0;
    }

    private static void toTruth(double[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = x[a + i] != 0 ? 1 : 0;
    }

    private static void toTruth(int[] x, int a, int o, int n) {
        for (int i = 0; i < n; i++) x[o + i] = x[a + i] != 0 ? 1 : 0;
    }

    private static void toTruth(long[] x, int a, int[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = x[a + i] != 0 ? 1 : 0;
    }

    private static void toFloat(int[] x, int a, float[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (float) x[a + i];
    }

    /** Converts by way of double, as on the reference device: a long is rounded twice. */
    private static void toFloat(long[] x, int a, float[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (float) (double) x[a + i];
    }

    private static void toDouble(int[] x, int a, double[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = x[a + i];
    }

    private static void toDouble(long[] x, int a, double[] y, int o, int n) {
        for (int i = 0; i < n; i++) y[o + i] = (double) x[a + i];
    }
}
