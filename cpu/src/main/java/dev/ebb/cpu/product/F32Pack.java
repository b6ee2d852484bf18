package dev.ebb.cpu.product;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.math.Half;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Copies a strided matrix of floats into panels: {@link F32Blocks#LANES} lanes wide, one depth
 * after the other. Sixteen-bit floats widen on the way. Lanes beyond the matrix keep what they
 * held: nobody stores their products.
 */
public final class F32Pack {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = F32Blocks.LANES;
    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;
    private static final int HALF = SPECIES.length();

    private F32Pack() {}

    /**
     * {@code into[at + panel(i) + k * LANES + i % LANES] = from[base + i * lane + k * step]}, i
     * below lanes, k below depth; panels hold {@code total} depths. The last {@link
     * F32Transpose#SPARE} of {@code into} are overwritten.
     */
    public static void panels(
            Buffer from,
            long base,
            long lane,
            long step,
            int lanes,
            int depth,
            int total,
            float[] into,
            int at) {
        int fours = lane == 1 && from.dtype() == DType.F32 ? lanes / (4 * LANES) : 0;
        for (int i = 0; i < 4 * fours; i += 4) {
            long start = (base + (long) i * LANES) * 4;
            four(
                    from.segment(),
                    start,
                    step * 4,
                    depth,
                    into,
                    at + i * LANES * total,
                    LANES * total);
        }
        int packed = 4 * fours * LANES;
        if (lane == 1 && from.dtype() == DType.F32 && lanes - packed >= 2 * LANES) {
            int panel = LANES * total;
            two(
                    from.segment(),
                    (base + packed) * 4,
                    step * 4,
                    depth,
                    into,
                    at + packed * total,
                    panel);
            packed += 2 * LANES;
        }
        for (int i = packed; i < lanes; i += LANES) {
            int here = Math.min(LANES, lanes - i);
            long start = base + i * lane;
            int to = at + i * total;
            if (from.dtype() != DType.F32) {
                widen(from, start, lane, step, here, depth, into, to);
            } else if (lane == 1 && here == LANES) {
                copy(from.segment(), start * 4, step * 4, depth, into, to);
            } else if (step == 1) {
                transpose(from.segment(), start * 4, lane * 4, here, depth, into, to);
            } else {
                scatter(from.segment(), start * 4, lane * 4, step * 4, here, depth, into, to);
            }
        }
    }

    /** {@code into[at + i * depth + k] = from[base + i * row + k]}. */
    public static void rows(
            Buffer from, long base, long row, int rows, int depth, float[] into, int at) {
        for (int i = 0; i < rows; i++) {
            long start = base + i * row;
            if (from.dtype() == DType.F32) {
                MemorySegment.copy(from.segment(), FLOAT, start * 4, into, at + i * depth, depth);
            } else {
                for (int k = 0; k < depth; k++)
                    into[at + i * depth + k] = (float) from.get(start + k);
            }
        }
    }

    /** Four panels at once: longer reads take half the time an element. */
    private static void four(
            MemorySegment from, long start, long step, int depth, float[] into, int at, int panel) {
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            int to = at + k * LANES;
            line(from, p, into, to);
            line(from, p + 8L * HALF, into, to + panel);
            line(from, p + 16L * HALF, into, to + 2 * panel);
            line(from, p + 24L * HALF, into, to + 3 * panel);
        }
    }

    private static void two(
            MemorySegment from, long start, long step, int depth, float[] into, int at, int panel) {
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            int to = at + k * LANES;
            line(from, p, into, to);
            line(from, p + 8L * HALF, into, to + panel);
        }
    }

    private static void line(MemorySegment from, long p, float[] into, int to) {
        FloatVector.fromMemorySegment(SPECIES, from, p, ORDER).intoArray(into, to);
        FloatVector.fromMemorySegment(SPECIES, from, p + 4L * HALF, ORDER)
                .intoArray(into, to + HALF);
    }

    private static void copy(
            MemorySegment from, long start, long step, int depth, float[] into, int at) {
        for (int k = 0; k < depth; k++) line(from, start + k * step, into, at + k * LANES);
    }

    /** Many lanes at a time: their stores share a cache line. */
    private static void transpose(
            MemorySegment from, long start, long lane, int lanes, int depth, float[] into, int at) {
        int i = 0;
        if (F32Transpose.FITS) {
            for (; i + HALF <= lanes; i += HALF) {
                F32Transpose.lanes(from, start + i * lane, lane, depth, into, at + i);
            }
        }
        for (; i + 4 <= lanes; i += 4) quad(from, start + i * lane, lane, depth, into, at + i);
        for (; i < lanes; i++) lane(from, start + i * lane, 4, depth, into, at + i);
    }

    private static void quad(
            MemorySegment from, long start, long lane, int depth, float[] into, int at) {
        for (int k = 0; k < depth; k++) {
            long p = start + 4L * k;
            float x0 = from.get(FLOAT, p);
            float x1 = from.get(FLOAT, p + lane);
            float x2 = from.get(FLOAT, p + 2 * lane);
            float x3 = from.get(FLOAT, p + 3 * lane);
            into[at + k * LANES] = x0;
            into[at + k * LANES + 1] = x1;
            into[at + k * LANES + 2] = x2;
            into[at + k * LANES + 3] = x3;
        }
    }

    private static void scatter(
            MemorySegment from,
            long start,
            long lane,
            long step,
            int lanes,
            int depth,
            float[] into,
            int at) {
        for (int i = 0; i < lanes; i++) lane(from, start + i * lane, step, depth, into, at + i);
    }

    private static void lane(
            MemorySegment from, long start, long step, int depth, float[] into, int at) {
        for (int k = 0; k < depth; k++) into[at + k * LANES] = from.get(FLOAT, start + k * step);
    }

    private static void widen(
            Buffer from,
            long start,
            long lane,
            long step,
            int lanes,
            int depth,
            float[] into,
            int at) {
        var segment = from.segment();
        boolean brain = from.dtype() == DType.BF16;
        for (int i = 0; i < lanes; i++) {
            for (int k = 0; k < depth; k++) {
                short bits = segment.get(SHORT, (start + i * lane + k * step) * 2);
                into[at + k * LANES + i] = brain ? Half.fromBf16(bits) : Float.float16ToFloat(bits);
            }
        }
    }

    /**
     * {@code into[at + panel(i) + k * LANES + i % LANES] = from[base + offsets[i] + k * step]}, or
     * zero where negative.
     */
    static void gather(
            Buffer from,
            long base,
            long step,
            int[] offsets,
            int lanes,
            int depth,
            int total,
            float[] into,
            int at) {
        for (int i = 0; i < lanes; i += LANES) {
            for (int k = 0; k < depth; k++) {
                across(
                        from.segment(),
                        base + k * step,
                        offsets,
                        i,
                        Math.min(LANES, lanes - i),
                        into,
                        at + i * total + k * LANES);
            }
        }
    }

    private static void across(
            MemorySegment from,
            long base,
            int[] offsets,
            int first,
            int lanes,
            float[] into,
            int at) {
        for (int i = 0; i < lanes; i++) {
            int offset = offsets[first + i];
            into[at + i] = offset < 0 ? 0 : from.get(FLOAT, (base + offset) * 4);
        }
    }

    /** {@code into[at + k * LANES] = from[base + offsets[k]]}, or zero where negative. */
    static void column(Buffer from, long base, int[] offsets, int depth, float[] into, int at) {
        var segment = from.segment();
        for (int k = 0; k < depth; k++) {
            int offset = offsets[k];
            into[at + k * LANES] = offset < 0 ? 0 : segment.get(FLOAT, (base + offset) * 4);
        }
    }
}
