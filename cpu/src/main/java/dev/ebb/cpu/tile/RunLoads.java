package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.math.Half;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Loads runs of elements from memory into a register of their compute type: contiguous, repeated or
 * strided.
 */
public final class RunLoads {
    public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    public static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private RunLoads() {}

    /**
     * Loads elements {@code at}, {@code at + stride}, ... to {@code n} positions from {@code o} on.
     */
    static void run(DType dtype, MemorySegment s, long at, long stride, Tile tile, int o, int n) {
        switch (dtype) {
            case F32 -> f32(s, at, stride, tile.f32, o, n);
            case F64 -> f64(s, at, stride, tile.f64, o, n);
            case BF16 -> bf16(s, at, stride, tile.halves, tile.f32, o, n);
            case F16 -> f16(s, at, stride, tile.halves, tile.f32, o, n);
            case I32 -> i32(s, at, stride, tile.i32, o, n);
            case I64 -> i64(s, at, stride, tile.i64, o, n);
            case U8, BOOL -> u8(s, at, stride, tile.bytes, tile.i32, o, n);
            case BIT -> bit(s, at, stride, tile.i32, o, n);
        }
    }

    private static void f32(MemorySegment s, long at, long stride, float[] r, int o, int n) {
        if (stride == 1) MemorySegment.copy(s, FLOAT, at * 4, r, o, n);
        else if (stride == 0) Arrays.fill(r, o, o + n, s.get(FLOAT, at * 4));
        else f32Apart(s, at, stride, r, o, n);
    }

    private static void f32Apart(MemorySegment s, long at, long stride, float[] r, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = s.get(FLOAT, (at + i * stride) * 4);
    }

    private static void f64(MemorySegment s, long at, long stride, double[] r, int o, int n) {
        if (stride == 1) MemorySegment.copy(s, DOUBLE, at * 8, r, o, n);
        else if (stride == 0) Arrays.fill(r, o, o + n, s.get(DOUBLE, at * 8));
        else f64Apart(s, at, stride, r, o, n);
    }

    private static void f64Apart(MemorySegment s, long at, long stride, double[] r, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = s.get(DOUBLE, (at + i * stride) * 8);
    }

    private static void i32(MemorySegment s, long at, long stride, int[] r, int o, int n) {
        if (stride == 1) MemorySegment.copy(s, INT, at * 4, r, o, n);
        else if (stride == 0) Arrays.fill(r, o, o + n, s.get(INT, at * 4));
        else i32Apart(s, at, stride, r, o, n);
    }

    private static void i32Apart(MemorySegment s, long at, long stride, int[] r, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = s.get(INT, (at + i * stride) * 4);
    }

    private static void i64(MemorySegment s, long at, long stride, long[] r, int o, int n) {
        if (stride == 1) MemorySegment.copy(s, LONG, at * 8, r, o, n);
        else if (stride == 0) Arrays.fill(r, o, o + n, s.get(LONG, at * 8));
        else i64Apart(s, at, stride, r, o, n);
    }

    private static void i64Apart(MemorySegment s, long at, long stride, long[] r, int o, int n) {
        for (int i = 0; i < n; i++) r[o + i] = s.get(LONG, (at + i * stride) * 8);
    }

    private static void halves(MemorySegment s, long at, long stride, short[] h, int n) {
        if (stride == 1) {
            MemorySegment.copy(s, SHORT, at * 2, h, 0, n);
        } else {
            for (int i = 0; i < n; i++) h[i] = s.get(SHORT, (at + i * stride) * 2);
        }
    }

    private static void bf16(
            MemorySegment s, long at, long stride, short[] h, float[] r, int o, int n) {
        halves(s, at, stride, h, n);
        for (int i = 0; i < n; i++) r[o + i] = Half.fromBf16(h[i]);
    }

    private static void f16(
            MemorySegment s, long at, long stride, short[] h, float[] r, int o, int n) {
        halves(s, at, stride, h, n);
        for (int i = 0; i < n; i++) r[o + i] = Float.float16ToFloat(h[i]);
    }

    private static void u8(MemorySegment s, long at, long stride, byte[] b, int[] r, int o, int n) {
        if (stride == 0) {
            Arrays.fill(r, o, o + n, s.get(BYTE, at) & 0xff);
            return;
        }
        if (stride == 1) {
            MemorySegment.copy(s, BYTE, at, b, 0, n);
        } else {
            for (int i = 0; i < n; i++) b[i] = s.get(BYTE, at + i * stride);
        }
        for (int i = 0; i < n; i++) r[o + i] = b[i] & 0xff;
    }

    private static void bit(MemorySegment s, long at, long stride, int[] r, int o, int n) {
        if (stride == 0) {
            Arrays.fill(r, o, o + n, (s.get(BYTE, at >> 3) >> (at & 7)) & 1);
            return;
        }
        for (int i = 0; i < n; i++) {
            long bit = at + i * stride;
            r[o + i] = (s.get(BYTE, bit >> 3) >> (bit & 7)) & 1;
        }
    }
}
