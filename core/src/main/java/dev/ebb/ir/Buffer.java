package dev.ebb.ir;

import dev.ebb.ir.math.Half;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A contiguous range of elements of one type in some device's memory. Single elements can be read
 * and set only in host memory.
 */
public record Buffer(DType dtype, long size, Memory memory) {

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    public Buffer {
        if (memory.bytes() < dtype.bytes(size)) {
            throw new IllegalArgumentException(
                    size + " elements of " + dtype + " do not fit " + memory.bytes() + " bytes");
        }
    }

    /** A buffer in host memory. */
    public Buffer(DType dtype, long size, MemorySegment segment) {
        this(dtype, size, Memory.of(segment));
    }

    /** The elements as a memory segment; only for a buffer in host memory. */
    public MemorySegment segment() {
        return memory.segment();
    }

    public long bytes() {
        return dtype.bytes(size);
    }

    /** Whether this buffer and {@code other} share a byte, if both have addresses. */
    public boolean overlaps(Buffer other) {
        long here = memory.address();
        long there = other.memory.address();
        return here < there + other.bytes() && there < here + bytes();
    }

    /**
     * Element {@code i} as a double; truth values are 0 and 1. An I64 beyond 2^53 is rounded: use
     * {@link #getLong}.
     */
    public double get(long i) {
        return switch (dtype) {
            case F32 -> segment().get(FLOAT, i * 4);
            case F64 -> segment().get(DOUBLE, i * 8);
            case BF16 -> Float.intBitsToFloat(segment().get(SHORT, i * 2) << 16);
            case F16 -> Float.float16ToFloat(segment().get(SHORT, i * 2));
            case I32, I64, U8, BOOL, BIT -> getLong(i);
        };
    }

    /** Element {@code i} of a buffer of integers or truth values. */
    public long getLong(long i) {
        return switch (dtype) {
            case I32 -> segment().get(INT, i * 4);
            case I64 -> segment().get(LONG, i * 8);
            case U8 -> segment().get(ValueLayout.JAVA_BYTE, i) & 0xff;
            case BOOL -> segment().get(ValueLayout.JAVA_BYTE, i);
            case BIT -> segment().get(ValueLayout.JAVA_BYTE, i >> 3) >> (i & 7) & 1;
            case F32, F64, BF16, F16 -> (long) get(i);
        };
    }

    /** Stores {@code value}, rounded to the nearest that the type holds. */
    public void set(long i, double value) {
        switch (dtype) {
            case F32 -> segment().set(FLOAT, i * 4, (float) value);
            case F64 -> segment().set(DOUBLE, i * 8, value);
            case BF16 -> segment().set(SHORT, i * 2, Half.toBf16((float) value));
            case F16 -> segment().set(SHORT, i * 2, Float.floatToFloat16((float) value));
            case I32, I64, U8, BOOL, BIT -> setLong(i, (long) value);
        }
    }

    public void setLong(long i, long value) {
        switch (dtype) {
            case I32 -> segment().set(INT, i * 4, (int) value);
            case I64 -> segment().set(LONG, i * 8, value);
            case U8 -> segment().set(ValueLayout.JAVA_BYTE, i, (byte) value);
            case BOOL -> segment().set(ValueLayout.JAVA_BYTE, i, (byte) (value != 0 ? 1 : 0));
            case BIT -> {
                int old = segment().get(ValueLayout.JAVA_BYTE, i >> 3);
                int bit = 1 << (i & 7);
                segment()
                        .set(
                                ValueLayout.JAVA_BYTE,
                                i >> 3,
                                (byte) (value != 0 ? old | bit : old & ~bit));
            }
            case F32, F64, BF16, F16 -> set(i, (double) value);
        }
    }
}
