package dev.ebb.cpu.code;

import java.lang.foreign.MemorySegment;

/**
 * A loop generated for one form: all its operations in registers of the processor, one pass over
 * memory.
 *
 * <p>{@code memory} holds the segments of the form's arguments, then those of its results; {@code
 * at} says where each begins: at which byte of its segment, or at which element of {@code
 * registers}, the tile's: a {@code float[]} or a {@code double[]}, as the form's type says.
 */
public interface Fused {
    /** {@code n} elements, a multiple of eight. */
    void run(MemorySegment[] memory, long[] at, Object registers, int n);

    /** Fewer than eight elements. */
    void tail(MemorySegment[] memory, long[] at, Object registers, int n);
}
