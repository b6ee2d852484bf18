package dev.ebb.cpu.code;

import java.lang.foreign.MemorySegment;

/**
 * A loop generated for one {@link RowForm}, over some rows in one call. Arguments are those of
 * {@link Fused}; {@code steps} contains the stride of each argument and result from one row to the
 * next.
 */
public interface FusedRows {
    /**
     * Computes {@code n} elements of each row: a multiple of eight for a map, of 32 for a fold. A
     * fold writes its 32 lanes; if rows are eight elements apart, it combines every eighth lane
     * first and writes the remaining eight.
     */
    void rows(MemorySegment[] memory, long[] at, float[] registers, int n, long[] steps, int rows);

    /**
     * Computes fewer than eight elements of each row, or up to eight for a fold, which combines
     * them with as many lanes that it has written before.
     */
    void tails(MemorySegment[] memory, long[] at, float[] registers, int n, long[] steps, int rows);
}
