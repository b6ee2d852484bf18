package dev.ebb.cuda;

import dev.ebb.ir.Memory;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A range of GPU memory. */
record CudaMemory(long address, long bytes) implements Memory {
    @Override
    public CudaMemory slice(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, bytes);
        return new CudaMemory(address + offset, length);
    }

    @Override
    public MemorySegment segment() {
        throw new IllegalStateException(
                bytes + " bytes of a card's memory are not the host's: read them by their queue");
    }
}
