package dev.ebb.cuda;

import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;

/**
 * Pinned host memory for transfers between the host's buffers and the GPU. Data to write are first
 * copied here, so that the caller may change its buffer immediately, and the GPU fetches them when
 * it reaches the transfer. Two halves are used alternately; a half is free again when the GPU has
 * passed the event after its last transfer.
 */
final class Staging implements AutoCloseable {
    /**
     * The largest and the smallest size of a half, in bytes; a half grows with the size of the
     * transfers.
     */
    static final long MOST = 8L << 20;

    private static final long FEWEST = 16L << 10;

    /** The bytes that one processor copies at a time: one alone is slower than the bus. */
    private static final long PART = 1L << 20;

    private final Streams streams;
    private final long stream;
    private final long[] passed;
    private long each;
    private long address;
    private MemorySegment memory = MemorySegment.NULL;
    private int half;
    private long used;

    Staging(Streams streams, long stream) {
        this.streams = streams;
        this.stream = stream;
        passed = new long[] {streams.event(), streams.event()};
        for (long event : passed) streams.record(event, stream);
    }

    /** Grows a half to at least {@code bytes}, or to the maximum. */
    private void grow(long bytes) {
        if (each >= Math.min(bytes, MOST) && each > 0) return;
        streams.drain(stream);
        if (each > 0) streams.freePinned(address);
        each = Math.clamp(Long.highestOneBit(Math.max(1, bytes - 1)) * 2, FEWEST, MOST);
        address = streams.allocatePinned(2 * each);
        memory = PinnedPool.view(address, 2 * each);
        half = 0;
        used = 0;
    }

    void write(MemorySegment from, long to) {
        long size = from.byteSize();
        grow(size);
        for (long at = 0; at < size; ) {
            if (used == each) turn();
            long bytes = Math.min(each - used, size - at);
            long place = half * each + used;
            copy(from, at, memory, place, bytes);
            streams.toDevice(to + at, address + place, bytes, stream);
            used = Math.min(each, Math.ceilDiv(used + bytes, 64) * 64);
            at += bytes;
        }
    }

    private static void copy(
            MemorySegment from, long at, MemorySegment to, long place, long bytes) {
        LongStream.range(0, Math.ceilDiv(bytes, PART))
                .parallel()
                .forEach(
                        part -> {
                            long first = part * PART;
                            long size = Math.min(PART, bytes - first);
                            MemorySegment.copy(from, at + first, to, place + first, size);
                        });
    }

    /** Switches to the other half, once the GPU has finished with it. */
    private void turn() {
        streams.record(passed[half], stream);
        half = 1 - half;
        streams.waitForEvent(passed[half]);
        used = 0;
    }

    /** Waits for all work, then copies from the GPU. */
    void read(long from, MemorySegment to) {
        grow(to.byteSize());
        streams.drain(stream); // all writes have arrived: both halves are free
        half = 0;
        used = 0;
        long size = to.byteSize();
        for (long at = 0; at < size; at += 2 * each) {
            long bytes = Math.min(2 * each, size - at);
            streams.toHost(address, from + at, bytes, stream);
            streams.drain(stream);
            copy(memory, 0, to, at, bytes);
        }
    }

    @Override
    public void close() {
        for (long event : passed) streams.destroyEvent(event);
        if (each > 0) streams.freePinned(address);
    }
}
