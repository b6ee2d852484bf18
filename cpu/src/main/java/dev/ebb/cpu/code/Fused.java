package dev.ebb.cpu.code;

import java.lang.foreign.MemorySegment;

/**
 * A loop generated for one form: it makes one pass over memory, with all intermediate values in
 * processor registers.
 *
 * <p>{@code memory} contains the segments of the form's arguments, then those of its results.
 * {@code at} contains the start of each: a byte of its segment, or an element of the tile's {@code
 * registers}, which are a {@code float[]} or a {@code double[]} depending on the form's type.
 */
public interface Fused {
    /** Computes {@code n} elements, a multiple of eight. */
    void run(MemorySegment[] memory, long[] at, Object registers, int n);

    /** Computes {@code n} elements, fewer than eight. */
    void tail(MemorySegment[] memory, long[] at, Object registers, int n);
}
