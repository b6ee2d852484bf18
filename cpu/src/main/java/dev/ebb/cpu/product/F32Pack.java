package dev.ebb.cpu.product;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.math.Half;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Packs factors in F32, BF16 or F16 as floats. */
public final class F32Pack extends Pack<float[]> {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = F32Blocks.LANES;
    private static final VectorSpecies<Float> SPECIES = F32Blocks.SPECIES;
    private static final int HALF = SPECIES.length();

    /** A constant, so that C2 knows its class. */
    public static final F32Pack PACK = new F32Pack();

    private F32Pack() {
        super(LANES, DType.F32);
    }

    @Override
    void copy(
            MemorySegment from,
            long start,
            long step,
            int depth,
            int panels,
            float[] into,
            int at,
            int apart) {
        switch (panels) {
            case 4 -> four(from, start, step, depth, into, at, apart);
            case 2 -> two(from, start, step, depth, into, at, apart);
            default -> one(from, start, step, depth, into, at);
        }
    }

    private static void four(
            MemorySegment from, long start, long step, int depth, float[] into, int at, int apart) {
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            int to = at + k * LANES;
            line(from, p, into, to);
            line(from, p + 8L * HALF, into, to + apart);
            line(from, p + 16L * HALF, into, to + 2 * apart);
            line(from, p + 24L * HALF, into, to + 3 * apart);
        }
    }

    private static void two(
            MemorySegment from, long start, long step, int depth, float[] into, int at, int apart) {
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            int to = at + k * LANES;
            line(from, p, into, to);
            line(from, p + 8L * HALF, into, to + apart);
        }
    }

    private static void one(
            MemorySegment from, long start, long step, int depth, float[] into, int at) {
        for (int k = 0; k < depth; k++) line(from, start + k * step, into, at + k * LANES);
    }

    private static void line(MemorySegment from, long p, float[] into, int to) {
        FloatVector.fromMemorySegment(SPECIES, from, p, ORDER).intoArray(into, to);
        FloatVector.fromMemorySegment(SPECIES, from, p + 4L * HALF, ORDER)
                .intoArray(into, to + HALF);
    }

    @Override
    void lanes(
            MemorySegment from,
            long start,
            long lane,
            long step,
            int count,
            int depth,
            float[] into,
            int at) {
        int i = 0;
        if (step == 4 && F32Transpose.FITS) {
            for (; i + HALF <= count; i += HALF)
                F32Transpose.lanes(from, start + i * lane, lane, depth, into, at + i);
        }
        if (step == 4) {
            // the stores of four lanes share a cache line
            for (; i + 4 <= count; i += 4) quad(from, start + i * lane, lane, depth, into, at + i);
        }
        for (; i < count; i++) lane(from, start + i * lane, step, depth, into, at + i);
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

    private static void lane(
            MemorySegment from, long start, long step, int depth, float[] into, int at) {
        for (int k = 0; k < depth; k++) into[at + k * LANES] = from.get(FLOAT, start + k * step);
    }

    @Override
    void rows(MemorySegment from, long start, long row, int rows, int depth, float[] into, int at) {
        for (int i = 0; i < rows; i++)
            MemorySegment.copy(from, FLOAT, start + i * row, into, at + i * depth, depth);
    }

    @Override
    void convert(Buffer from, long start, long step, int depth, float[] into, int at, int apart) {
        var segment = from.segment();
        boolean brain = from.dtype() == DType.BF16;
        for (int k = 0; k < depth; k++) {
            short bits = segment.get(SHORT, (start + k * step) * 2);
            into[at + k * apart] = brain ? Half.fromBf16(bits) : Float.float16ToFloat(bits);
        }
    }

    @Override
    void store(float[] x, int from, int count, Buffer out, long position) {
        MemorySegment.copy(x, from, out.segment(), FLOAT, position * 4, count);
    }

    @Override
    void gather(
            Buffer from,
            long base,
            long step,
            int[] offsets,
            int count,
            int depth,
            int total,
            float[] into,
            int at) {
        for (int i = 0; i < count; i += LANES) {
            int here = Math.min(LANES, count - i);
            int to = at + place(i, 0, total);
            for (int k = 0; k < depth; k++)
                across(from.segment(), base + k * step, offsets, i, here, into, to + k * LANES);
        }
    }

    private static void across(
            MemorySegment from,
            long base,
            int[] offsets,
            int first,
            int count,
            float[] into,
            int at) {
        for (int i = 0; i < count; i++) {
            int offset = offsets[first + i];
            into[at + i] = offset < 0 ? 0 : from.get(FLOAT, (base + offset) * 4);
        }
    }

    @Override
    void column(Buffer from, long base, int[] offsets, int depth, float[] into, int at) {
        var segment = from.segment();
        for (int k = 0; k < depth; k++) {
            int offset = offsets[k];
            into[at + k * LANES] = offset < 0 ? 0 : segment.get(FLOAT, (base + offset) * 4);
        }
    }
}
