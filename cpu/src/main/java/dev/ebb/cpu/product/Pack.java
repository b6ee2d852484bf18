package dev.ebb.cpu.product;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import java.lang.foreign.MemorySegment;

/**
 * Copies factors of matrix products into the layouts that {@link Blocks} read. This class has the
 * layouts and the order of the copies; a subclass has the innermost loops for one element type.
 *
 * <p>There are two layouts. In rows, the elements of a row follow one another along the depth. In
 * panels, the rows of a left factor or the columns of a right one, here called lanes, are grouped
 * by {@link #lanes}. A panel is one such group: for each depth in ascending order, the elements of
 * its lanes side by side. The panels follow one another, each with room for the same number of
 * depths; {@link #place} computes where an element lies. In the last panel, lanes beyond the matrix
 * keep their old contents: the blocks multiply these lanes too, but their products are not used.
 *
 * @param <A> an array of the panels' elements
 */
public abstract sealed class Pack<A> permits F32Pack, F64Pack {
    /** Lanes of a panel: two vectors of elements. */
    final int lanes;

    private final DType type;
    private final long size;

    Pack(int lanes, DType type) {
        this.lanes = lanes;
        this.type = type;
        size = type.bytes(1);
    }

    /** The index, in panels with room for {@code total} depths, of lane {@code i} at depth k. */
    final int place(int i, int k, int total) {
        return i / lanes * lanes * total + k * lanes + i % lanes;
    }

    /**
     * {@code into[at + place(i, k, total)] = from[base + i * lane + k * step]} for i below {@code
     * count} and k below {@code depth}. A {@code float[]} must have {@link F32Transpose#SPARE} more
     * elements at its end, which may be overwritten.
     */
    public final void panels(
            Buffer from,
            long base,
            long lane,
            long step,
            int count,
            int depth,
            int total,
            A into,
            int at) {
        boolean same = from.dtype() == type;
        int i = 0;
        // copying four panels at once takes half the time per element: reads are longer
        for (int together = 4; same && lane == 1 && together > 0; together /= 2) {
            for (; i + together * lanes <= count; i += together * lanes) {
                long start = (base + i) * size;
                int to = at + place(i, 0, total);
                copy(from.segment(), start, step * size, depth, together, into, to, lanes * total);
            }
        }
        for (; i < count; i += lanes) {
            int here = Math.min(lanes, count - i);
            long start = base + i * lane;
            int to = at + place(i, 0, total);
            if (same) {
                var segment = from.segment();
                lanes(segment, start * size, lane * size, step * size, here, depth, into, to);
            } else {
                for (int l = 0; l < here; l++)
                    convert(from, start + l * lane, step, depth, into, to + l, lanes);
            }
        }
    }

    /** {@code into[at + i * depth + k] = from[base + i * row + k]}. */
    public final void rows(Buffer from, long base, long row, int rows, int depth, A into, int at) {
        if (from.dtype() == type) {
            rows(from.segment(), base * size, row * size, rows, depth, into, at);
        } else {
            for (int i = 0; i < rows; i++)
                convert(from, base + i * row, 1, depth, into, at + i * depth, 1);
        }
    }

    // The following methods are the innermost loops. A position or distance in a MemorySegment
    // counts bytes, one in a Buffer or an array counts elements.

    /**
     * Copies one, two or four whole panels, which are {@code apart} elements apart, from memory
     * where lanes are adjacent.
     */
    abstract void copy(
            MemorySegment from,
            long start,
            long step,
            int depth,
            int panels,
            A into,
            int at,
            int apart);

    /** Copies {@code count} lanes of a panel. */
    abstract void lanes(
            MemorySegment from,
            long start,
            long lane,
            long step,
            int count,
            int depth,
            A into,
            int at);

    /** Copies rows, {@code row} apart from each other. */
    abstract void rows(
            MemorySegment from, long start, long row, int rows, int depth, A into, int at);

    /**
     * {@code into[at + k * apart] = from[start + k * step]} for k below {@code depth}, where {@code
     * from} has a different element type.
     */
    abstract void convert(Buffer from, long start, long step, int depth, A into, int at, int apart);

    /** {@code out[position + i] = x[from + i]}, where {@code out} has the panels' own type. */
    abstract void store(A x, int from, int count, Buffer out, long position);

    /**
     * {@code into[at + place(i, k, total)] = from[base + offsets[i] + k * step]} for i below {@code
     * count} and k below {@code depth}, or zero where the offset is negative.
     */
    abstract void gather(
            Buffer from,
            long base,
            long step,
            int[] offsets,
            int count,
            int depth,
            int total,
            A into,
            int at);

    /**
     * Gathers one lane: {@code into[at + place(0, k, depth)] = from[base + offsets[k]]} for k below
     * {@code depth}, or zero where the offset is negative.
     */
    abstract void column(Buffer from, long base, int[] offsets, int depth, A into, int at);
}
