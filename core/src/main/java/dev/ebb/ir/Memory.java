package dev.ebb.ir;

import java.lang.foreign.MemorySegment;

/**
 * A stretch of some device's memory: where it begins and how long it is. Its bytes are copied,
 * cleared, written and read through the queue of the device that allocated it; only where that
 * memory is the host's own can Java touch them directly.
 */
public interface Memory {

    long bytes();

    /** The address of the first byte in the address space of the device. */
    long address();

    /** The {@code bytes} bytes from {@code offset} on. */
    Memory slice(long offset, long bytes);

    /**
     * The same bytes as a memory segment of the host.
     *
     * @throws IllegalStateException if this is not the host's memory
     */
    MemorySegment segment();

    /** Memory of the host. */
    static Memory of(MemorySegment segment) {
        return new Host(segment);
    }

    /** Memory of the host, on or off the Java heap. */
    record Host(MemorySegment segment) implements Memory {
        @Override
        public long bytes() {
            return segment.byteSize();
        }

        @Override
        public long address() {
            return segment.address();
        }

        @Override
        public Memory slice(long offset, long bytes) {
            return new Host(segment.asSlice(offset, bytes));
        }
    }
}
