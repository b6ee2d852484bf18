package dev.ebb.cpu.product;

import dev.ebb.ir.Buffer;

import jdk.incubator.vector.DoubleVector;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Copies a strided matrix of doubles into panels, as {@link F32Pack} does with floats. */
final class F64Pack {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = F64Blocks.LANES;
    private static final int HALF = F64Blocks.SPECIES.length();

    private F64Pack() {}

    /**
     * {@code into[at + panel(i) + k * LANES + i % LANES] = from[base + i * lane + k * step]}, i
     * below lanes, k below depth; panels hold {@code total} depths.
     */
    static void panels(
            Buffer from,
            long base,
            long lane,
            long step,
            int lanes,
            int depth,
            int total,
            double[] into,
            int at) {
        for (int i = 0; i < lanes; i += LANES) {
            int here = Math.min(LANES, lanes - i);
            long start = (base + i * lane) * 8;
            if (lane == 1 && here == LANES) {
                copy(from.segment(), start, step * 8, depth, into, at + i * total);
            } else {
                for (int l = 0; l < here; l++) {
                    lane(
                            from.segment(),
                            start + l * lane * 8,
                            step * 8,
                            depth,
                            into,
                            at + i * total + l);
                }
            }
        }
    }

    /** {@code into[at + i * depth + k] = from[base + i * row + k]}. */
    static void rows(Buffer from, long base, long row, int rows, int depth, double[] into, int at) {
        for (int i = 0; i < rows; i++) {
            MemorySegment.copy(
                    from.segment(), DOUBLE, (base + i * row) * 8, into, at + i * depth, depth);
        }
    }

    private static void copy(
            MemorySegment from, long start, long step, int depth, double[] into, int at) {
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            DoubleVector.fromMemorySegment(F64Blocks.SPECIES, from, p, ORDER)
                    .intoArray(into, at + k * LANES);
            DoubleVector.fromMemorySegment(F64Blocks.SPECIES, from, p + 8L * HALF, ORDER)
                    .intoArray(into, at + k * LANES + HALF);
        }
    }

    private static void lane(
            MemorySegment from, long start, long step, int depth, double[] into, int at) {
        for (int k = 0; k < depth; k++) into[at + k * LANES] = from.get(DOUBLE, start + k * step);
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
            double[] into,
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
            double[] into,
            int at) {
        for (int i = 0; i < lanes; i++) {
            int offset = offsets[first + i];
            into[at + i] = offset < 0 ? 0 : from.get(DOUBLE, (base + offset) * 8);
        }
    }

    /** {@code into[at + k * LANES] = from[base + offsets[k]]}, or zero where negative. */
    static void column(Buffer from, long base, int[] offsets, int depth, double[] into, int at) {
        var segment = from.segment();
        for (int k = 0; k < depth; k++) {
            int offset = offsets[k];
            into[at + k * LANES] = offset < 0 ? 0 : segment.get(DOUBLE, (base + offset) * 8);
        }
    }
}
