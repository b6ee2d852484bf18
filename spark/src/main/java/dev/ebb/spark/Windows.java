package dev.ebb.spark;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Memory as buffers, made once for a message, so that passing through it makes no objects. A buffer
 * holds less than 2 GiB, so there are several for more. They are checked like the memory itself:
 * who uses one after the memory was given back gets an error.
 */
final class Windows {
    private static final int SHIFT = 30;

    private final ByteBuffer[] buffers;
    private final long bytes;

    Windows(MemorySegment memory) {
        bytes = memory.byteSize();
        buffers = new ByteBuffer[Math.max(1, Math.toIntExact(Math.ceilDiv(bytes, 1L << SHIFT)))];
        for (int i = 0; i < buffers.length; i++) {
            long from = (long) i << SHIFT;
            buffers[i] = memory.asSlice(from, Math.min(1L << SHIFT, bytes - from)).asByteBuffer();
        }
    }

    long bytes() {
        return bytes;
    }

    ByteBuffer[] buffers() {
        return buffers;
    }

    /** The buffer with the byte {@code at}, from there on; at most {@code most} bytes of it. */
    ByteBuffer from(long at, int most) {
        var buffer = buffers[(int) (at >> SHIFT)];
        int first = (int) (at & ((1L << SHIFT) - 1));
        int end = (int) Math.min(buffer.capacity(), (long) first + most);
        return buffer.limit(end).position(first);
    }

    /** Copies all of {@code source} to {@code at} and what follows. */
    void put(long at, ByteBuffer source) {
        int end = source.limit();
        while (source.hasRemaining()) {
            var to = from(at, source.remaining());
            int count = to.remaining();
            source.limit(source.position() + count);
            to.put(source);
            source.limit(end);
            at += count;
        }
    }
}
