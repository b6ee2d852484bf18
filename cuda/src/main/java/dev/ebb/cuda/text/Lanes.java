package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;

/**
 * The order in which a row is folded, by its width alone, so that a fold gives the same bits in
 * every kernel it is part of. Elements go to the lanes in groups of four, round and round; each
 * lane combines its own in order, then lanes are combined in pairs 16, 8, 4, 2 and 1 apart in every
 * warp, then the warps in order. A row wider than {@link #SEGMENT} is folded in segments, and their
 * results are combined in order.
 *
 * @param width the elements of a row
 */
record Lanes(long width) {
    /** Elements of a row that are folded by themselves. */
    static final int SEGMENT = 16384;

    /** Neighbours that one lane takes. */
    static final int GROUP = 4;

    /** Lanes that share a row. */
    int count() {
        if (width <= 32) return 1;
        if (width <= 1024) return 32;
        if (width <= 4096) return 128;
        return width <= 8192 ? 256 : 512;
    }

    /** Rows that a block folds side by side. */
    int rows() {
        return count() == 1 ? 128 : count() == 32 ? 4 : 1;
    }

    int threads() {
        return count() * rows();
    }

    long segments() {
        return Math.max(1, (width + SEGMENT - 1) / SEGMENT);
    }

    /** Groups that a lane takes of one segment. */
    int groups() {
        long elements = Math.min(width, SEGMENT);
        return (int) ((elements + (long) GROUP * count() - 1) / ((long) GROUP * count()));
    }

    /** Writes what makes {@code name} the same in all lanes: all their values combined. */
    void join(Lines code, Combine combine, DType type, String name) {
        if (count() == 1) return;
        var fn = Words.combine(combine);
        code.add("#pragma unroll");
        code.add("for (int far = 16; far > 0; far >>= 1)");
        code.add("    %s = %s(%s, __shfl_xor_sync(0xffffffffu, %s, far));", name, fn, name, name);
        if (count() == 32) return;
        int warps = count() / 32;
        code.add("{");
        code.add("__shared__ %s warps[%d];", Words.computed(type), warps);
        code.add("__syncthreads();");
        code.add("if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = %s;", name);
        code.add("__syncthreads();");
        code.add("%s = warps[0];", name);
        code.add("#pragma unroll");
        code.add("for (int w = 1; w < %d; w++) %s = %s(%s, warps[w]);", warps, name, fn, name);
        code.close();
    }
}
