package dev.ebb.cpu.code;

import java.lang.foreign.MemorySegment;

/**
 * A loop generated for one {@link RowForm}, over some rows in one call. Arguments are those of
 * {@link Fused}; {@code steps} says how far each place moves from one row to the next.
 */
public interface FusedRows {
    /**
     * {@code n} elements of each row: a multiple of eight for a map; of 32 for a fold, which then
     * writes its lanes, or eight of them if rows are eight places apart: those that are left when
     * every eighth is combined.
     */
    void rows(MemorySegment[] memory, long[] at, float[] registers, int n, long[] steps, int rows);

    /**
     * Fewer than eight elements of each row, or up to eight for a fold, which combines them with as
     * many lanes that it has written before.
     */
    void tails(MemorySegment[] memory, long[] at, float[] registers, int n, long[] steps, int rows);
}
