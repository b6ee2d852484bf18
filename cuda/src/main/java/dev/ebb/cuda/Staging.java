package dev.ebb.cuda;

import java.lang.foreign.MemorySegment;

/**
 * Pinned host memory between the host's buffers and the card: what is written is copied here first,
 * so that the caller's buffer may change at once, and the card fetches it when its turn comes. Two
 * halves take turns, each free again when the card has passed the event behind its last transfer.
 */
final class Staging implements AutoCloseable {
    static final long HALF = 8L << 20;

    private final Streams streams;
    private final long stream;
    private final long address;
    private final MemorySegment memory;
    private final long[] passed;
    private int half;
    private long used;

    Staging(Streams streams, long stream) {
        this.streams = streams;
        this.stream = stream;
        address = streams.allocatePinned(2 * HALF);
        memory = view(address, 2 * HALF);
        passed = new long[] {streams.event(), streams.event()};
        for (long event : passed) streams.record(event, stream);
    }

    @SuppressWarnings("restricted") // the driver has just given so many bytes
    private static MemorySegment view(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    void write(MemorySegment from, long to) {
        long size = from.byteSize();
        for (long at = 0; at < size; ) {
            if (used == HALF) turn();
            long bytes = Math.min(HALF - used, size - at);
            long place = half * HALF + used;
            MemorySegment.copy(from, at, memory, place, bytes);
            streams.toDevice(to + at, address + place, bytes, stream);
            used = Math.min(HALF, Math.ceilDiv(used + bytes, 64) * 64);
            at += bytes;
        }
    }

    /** Goes on in the other half, once the card has done with it. */
    private void turn() {
        streams.record(passed[half], stream);
        half = 1 - half;
        streams.waitForEvent(passed[half]);
        used = 0;
    }

    /** Waits for all work and copies from the card. */
    void read(long from, MemorySegment to) {
        streams.drain(stream); // all that was written has arrived: both halves are free
        half = 0;
        used = 0;
        long size = to.byteSize();
        for (long at = 0; at < size; at += 2 * HALF) {
            long bytes = Math.min(2 * HALF, size - at);
            streams.toHost(address, from + at, bytes, stream);
            streams.drain(stream);
            MemorySegment.copy(memory, 0, to, at, bytes);
        }
    }

    @Override
    public void close() {
        for (long event : passed) streams.destroyEvent(event);
        streams.freePinned(address);
    }
}
