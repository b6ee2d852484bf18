package dev.ebb.spark;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A memory segment as byte buffers, made once per message so that a transfer creates no objects. A
 * buffer has less than 2 GiB, so large segments have several. Using a buffer after the memory was
 * freed throws, as with the segment itself.
 */
final class SegmentBuffers {
    private static final int SHIFT = 30;

    private final ByteBuffer[] buffers;
    private final long bytes;

    SegmentBuffers(MemorySegment memory) {
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

    /**
     * The buffer that contains byte {@code at}, starting there and limited to {@code most} bytes.
     */
    ByteBuffer from(long at, int most) {
        var buffer = buffers[(int) (at >> SHIFT)];
        int first = (int) (at & ((1L << SHIFT) - 1));
        int end = (int) Math.min(buffer.capacity(), (long) first + most);
        return buffer.limit(end).position(first);
    }

    /** Copies {@code source} to byte {@code at} and the bytes after it. */
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
