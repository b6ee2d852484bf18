package dev.ebb.cpu;

import java.lang.foreign.MemorySegment;

/**
 * A loop generated for one body: all its operations in registers of the processor, one pass over
 * memory.
 *
 * <p>{@code memory} holds the segments of the arguments the body reads, then those of its outputs;
 * {@code at} the byte where each begins. A repeated argument is read once.
 */
interface Fused {
    /** {@code n} elements, a multiple of eight. */
    void run(MemorySegment[] memory, long[] at, int n);

    /** Fewer than eight elements. */
    void tail(MemorySegment[] memory, long[] at, int n);
}
