package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;
import dev.ebb.ir.math.Half;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Loads an operand into a register along a view whose innermost axis is short, such as a mask of a
 * few columns. One call per run would cost more than its elements, so a single loop processes all
 * runs. If the view repeats the same run, the first one is loaded and then copied.
 */
final class ShortRuns {
    /** Runs of fewer elements than this are short. */
    static final int SHORT = 32;

    private ShortRuns() {}

    /** The position of an iteration over merged axes; sizes and strides are innermost first. */
    record Walk(long[] sizes, long[] strides, long[] index) {

        /** Whether the innermost run is the same for all indices of the other axes. */
        boolean isPeriodic() {
            return sizes.length == 2 && strides[1] == 0;
        }

        int run(int most) {
            return (int) Math.min(sizes[0] - index[0], most);
        }

        /** Advances by {@code run} elements from offset {@code at} and returns the new offset. */
        long next(long at, int run) {
            long to = at + run * strides[0];
            index[0] += run;
            for (int d = 0; index[d] == sizes[d] && d + 1 < sizes.length; d++) {
                index[d] = 0;
                index[d + 1]++;
                to += strides[d + 1] - sizes[d] * strides[d];
            }
            return to;
        }
    }

    /** Loads {@code n} elements from {@code at} on to positions from {@code o} on. */
    static void load(DType dtype, MemorySegment s, long at, Walk w, Tile tile, int o, int n) {
        if (!w.isPeriodic()) {
            walk(dtype, s, at, w, tile, o, n);
            return;
        }
        int period = (int) Math.min(w.sizes[0], n);
        walk(dtype, s, at, w, tile, o, period);
        for (int done = period; done < n; done *= 2) repeat(dtype, tile, o, done, n);
    }

    private static void repeat(DType dtype, Tile tile, int o, int done, int n) {
        int more = Math.min(done, n - done);
        switch (dtype.compute()) {
            case F32 -> System.arraycopy(tile.f32, o, tile.f32, o + done, more);
            case F64 -> System.arraycopy(tile.f64, o, tile.f64, o + done, more);
            case I64 -> System.arraycopy(tile.i64, o, tile.i64, o + done, more);
            case I32, BOOL -> System.arraycopy(tile.i32, o, tile.i32, o + done, more);
            case BF16, F16, U8, BIT -> throw new IllegalStateException(dtype + " is computed in");
        }
    }

    private static void walk(
            DType dtype, MemorySegment s, long at, Walk w, Tile tile, int o, int n) {
        switch (dtype) {
            case F32 -> f32(s, at, w, tile.f32, o, n);
            case F64 -> f64(s, at, w, tile.f64, o, n);
            case BF16 -> bf16(s, at, w, tile.f32, o, n);
            case F16 -> f16(s, at, w, tile.f32, o, n);
            case I32 -> i32(s, at, w, tile.i32, o, n);
            case I64 -> i64(s, at, w, tile.i64, o, n);
            case U8, BOOL -> u8(s, at, w, tile.i32, o, n);
            case BIT -> bit(s, at, w, tile.i32, o, n);
        }
    }

    private static void f32(MemorySegment s, long at, Walk w, float[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            if (step == 0) Arrays.fill(r, i, i + run, s.get(RunLoads.FLOAT, at * 4));
            else
                for (int k = 0; k < run; k++) r[i + k] = s.get(RunLoads.FLOAT, (at + k * step) * 4);
            at = w.next(at, run);
            i += run;
        }
    }

    private static void f64(MemorySegment s, long at, Walk w, double[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            if (step == 0) Arrays.fill(r, i, i + run, s.get(RunLoads.DOUBLE, at * 8));
            else
                for (int k = 0; k < run; k++)
                    r[i + k] = s.get(RunLoads.DOUBLE, (at + k * step) * 8);
            at = w.next(at, run);
            i += run;
        }
    }

    private static void i32(MemorySegment s, long at, Walk w, int[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            if (step == 0) Arrays.fill(r, i, i + run, s.get(RunLoads.INT, at * 4));
            else for (int k = 0; k < run; k++) r[i + k] = s.get(RunLoads.INT, (at + k * step) * 4);
            at = w.next(at, run);
            i += run;
        }
    }

    private static void i64(MemorySegment s, long at, Walk w, long[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            if (step == 0) Arrays.fill(r, i, i + run, s.get(RunLoads.LONG, at * 8));
            else for (int k = 0; k < run; k++) r[i + k] = s.get(RunLoads.LONG, (at + k * step) * 8);
            at = w.next(at, run);
            i += run;
        }
    }

    private static void bf16(MemorySegment s, long at, Walk w, float[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            for (int k = 0; k < run; k++)
                r[i + k] = Half.fromBf16(s.get(RunLoads.SHORT, (at + k * step) * 2));
            at = w.next(at, run);
            i += run;
        }
    }

    private static void f16(MemorySegment s, long at, Walk w, float[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            for (int k = 0; k < run; k++)
                r[i + k] = Float.float16ToFloat(s.get(RunLoads.SHORT, (at + k * step) * 2));
            at = w.next(at, run);
            i += run;
        }
    }

    private static void u8(MemorySegment s, long at, Walk w, int[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            if (step == 0) Arrays.fill(r, i, i + run, s.get(RunLoads.BYTE, at) & 0xff);
            else
                for (int k = 0; k < run; k++) r[i + k] = s.get(RunLoads.BYTE, at + k * step) & 0xff;
            at = w.next(at, run);
            i += run;
        }
    }

    private static void bit(MemorySegment s, long at, Walk w, int[] r, int o, int n) {
        long step = w.strides[0];
        for (int i = o; i < o + n; ) {
            int run = w.run(o + n - i);
            for (int k = 0; k < run; k++) {
                long bit = at + k * step;
                r[i + k] = (s.get(RunLoads.BYTE, bit >> 3) >> (bit & 7)) & 1;
            }
            at = w.next(at, run);
            i += run;
        }
    }
}
