package dev.ebb.cpu.product;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Packs factors in F64. */
final class F64Pack extends Pack<double[]> {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final int LANES = F64Blocks.LANES;
    private static final VectorSpecies<Double> SPECIES = F64Blocks.SPECIES;
    private static final int HALF = SPECIES.length();

    /** A constant, so that C2 knows its class. */
    static final F64Pack PACK = new F64Pack();

    private F64Pack() {
        super(LANES, DType.F64);
    }

    @Override
    void copy(
            MemorySegment from,
            long start,
            long step,
            int depth,
            int panels,
            double[] into,
            int at,
            int apart) {
        switch (panels) {
            case 4 -> four(from, start, step, depth, into, at, apart);
            case 2 -> two(from, start, step, depth, into, at, apart);
            default -> one(from, start, step, depth, into, at);
        }
    }

    private static void four(
            MemorySegment from,
            long start,
            long step,
            int depth,
            double[] into,
            int at,
            int apart) {
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            int to = at + k * LANES;
            line(from, p, into, to);
            line(from, p + 16L * HALF, into, to + apart);
            line(from, p + 32L * HALF, into, to + 2 * apart);
            line(from, p + 48L * HALF, into, to + 3 * apart);
        }
    }

    private static void two(
            MemorySegment from,
            long start,
            long step,
            int depth,
            double[] into,
            int at,
            int apart) {
        for (int k = 0; k < depth; k++) {
            long p = start + k * step;
            int to = at + k * LANES;
            line(from, p, into, to);
            line(from, p + 16L * HALF, into, to + apart);
        }
    }

    private static void one(
            MemorySegment from, long start, long step, int depth, double[] into, int at) {
        for (int k = 0; k < depth; k++) line(from, start + k * step, into, at + k * LANES);
    }

    private static void line(MemorySegment from, long p, double[] into, int to) {
        DoubleVector.fromMemorySegment(SPECIES, from, p, ORDER).intoArray(into, to);
        DoubleVector.fromMemorySegment(SPECIES, from, p + 8L * HALF, ORDER)
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
            double[] into,
            int at) {
        int i = 0;
        if (step == 8) {
            // the stores of four lanes share a cache line
            for (; i + 4 <= count; i += 4) quad(from, start + i * lane, lane, depth, into, at + i);
        }
        for (; i < count; i++) lane(from, start + i * lane, step, depth, into, at + i);
    }

    private static void quad(
            MemorySegment from, long start, long lane, int depth, double[] into, int at) {
        for (int k = 0; k < depth; k++) {
            long p = start + 8L * k;
            double x0 = from.get(DOUBLE, p);
            double x1 = from.get(DOUBLE, p + lane);
            double x2 = from.get(DOUBLE, p + 2 * lane);
            double x3 = from.get(DOUBLE, p + 3 * lane);
            into[at + k * LANES] = x0;
            into[at + k * LANES + 1] = x1;
            into[at + k * LANES + 2] = x2;
            into[at + k * LANES + 3] = x3;
        }
    }

    private static void lane(
            MemorySegment from, long start, long step, int depth, double[] into, int at) {
        for (int k = 0; k < depth; k++) into[at + k * LANES] = from.get(DOUBLE, start + k * step);
    }

    @Override
    void rows(
            MemorySegment from, long start, long row, int rows, int depth, double[] into, int at) {
        for (int i = 0; i < rows; i++)
            MemorySegment.copy(from, DOUBLE, start + i * row, into, at + i * depth, depth);
    }

    @Override
    void convert(Buffer from, long start, long step, int depth, double[] into, int at, int apart) {
        for (int k = 0; k < depth; k++) into[at + k * apart] = from.get(start + k * step);
    }

    @Override
    void store(double[] x, int from, int count, Buffer out, long position) {
        MemorySegment.copy(x, from, out.segment(), DOUBLE, position * 8, count);
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
            double[] into,
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
            double[] into,
            int at) {
        for (int i = 0; i < count; i++) {
            int offset = offsets[first + i];
            into[at + i] = offset < 0 ? 0 : from.get(DOUBLE, (base + offset) * 8);
        }
    }

    @Override
    void column(Buffer from, long base, int[] offsets, int depth, double[] into, int at) {
        var segment = from.segment();
        for (int k = 0; k < depth; k++) {
            int offset = offsets[k];
            into[at + k * LANES] = offset < 0 ? 0 : segment.get(DOUBLE, (base + offset) * 8);
        }
    }
}
