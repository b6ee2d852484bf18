package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A 64-bit hash of the contents of a buffer: FNV-1a over words of eight bytes. All NaNs count as
 * the same: which sign and payload an operation on two NaNs returns depends on the order in which a
 * compiler places its operands.
 */
public final class Digest {
    private static final long PRIME = 0x100000001b3L;
    private static final int PIECE = 1 << 16;
    private static final long START = 0xcbf29ce484222325L;

    private Digest() {}

    public static long of(Buffer buffer, Queue queue) {
        var here = MemorySegment.ofArray(new long[PIECE / 8]);
        long hash = START;
        for (long done = 0; done < buffer.bytes(); done += PIECE) {
            long bytes = Math.min(PIECE, buffer.bytes() - done);
            queue.read(buffer.memory().slice(done, bytes), here.asSlice(0, bytes));
            if (buffer.dtype().isFloat()) unifyNaNs(buffer.dtype(), here, bytes);
            hash = add(hash, here, bytes);
        }
        return hash;
    }

    private static void unifyNaNs(DType dtype, MemorySegment memory, long bytes) {
        var elements = new Buffer(dtype, bytes / dtype.bytes(1), memory);
        for (long i = 0; i < elements.size(); i++)
            if (Double.isNaN(elements.get(i))) elements.set(i, Double.NaN);
    }

    private static long add(long start, MemorySegment memory, long bytes) {
        long hash = start;
        long at = 0;
        for (; at + 8 <= bytes; at += 8)
            hash = (hash ^ memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at)) * PRIME;
        for (; at < bytes; at++) hash = (hash ^ memory.get(ValueLayout.JAVA_BYTE, at)) * PRIME;
        return hash;
    }
}
