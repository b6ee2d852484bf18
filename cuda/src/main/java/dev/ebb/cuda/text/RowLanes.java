package dev.ebb.cuda.text;

import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;

import java.util.List;

/**
 * The order in which a row is folded. It depends on the row's width alone, so that a fold gives the
 * same bits in every kernel that contains it. Elements are assigned to the lanes in groups of four,
 * cyclically; each lane combines its own in order, then lanes are combined in pairs 16, 8, 4, 2 and
 * 1 apart in every warp, then the warps in order. A row wider than {@link #SEGMENT} is folded in
 * segments, whose results are combined in order; those of more than 64 segments, which only a plain
 * fold has, are folded as a row.
 *
 * @param width the elements of a row
 */
record RowLanes(long width) {
    /** The elements of a row that are folded separately. */
    static final int SEGMENT = 16384;

    /** The neighbouring elements that one lane takes. */
    static final int GROUP = 4;

    /** Lanes that share a row. */
    int count() {
        if (width <= 32) return 1;
        if (width <= 1024) return 32;
        if (width <= 2048) return 128;
        return width <= 8192 ? 256 : 512;
    }

    /** Rows that a block folds in parallel. */
    int rows() {
        return count() == 1 ? 128 : count() == 32 ? 4 : 1;
    }

    int threads() {
        return count() * rows();
    }

    long segments() {
        return Math.max(1, (width + SEGMENT - 1) / SEGMENT);
    }

    /** Groups of one segment per lane. */
    int groups() {
        long elements = Math.min(width, SEGMENT);
        return (int) ((elements + (long) GROUP * count() - 1) / ((long) GROUP * count()));
    }

    /** Groups of the whole row per lane. */
    int allGroups() {
        long lane = (long) GROUP * count();
        return Math.toIntExact((width + lane - 1) / lane);
    }

    /** A value of every lane, to be combined over all lanes. */
    record Partial(Combine combine, DType type, String name) {
        /** The statement that combines this value with {@code other}. */
        String with(String other) {
            return "%s = %s(%s, %s);".formatted(name, CudaSyntax.combine(combine), name, other);
        }
    }

    /**
     * Writes code that combines each of {@code all} over the lanes; every lane gets the results.
     */
    void join(SourceLines code, List<Partial> all) {
        join(count(), code, all);
    }

    /** The same for {@code count} lanes: one, a warp, or all threads of a block. */
    static void join(int count, SourceLines code, List<Partial> all) {
        if (count == 1) return;
        code.add("#pragma unroll");
        code.open("for (int far = 16; far > 0; far >>= 1)");
        for (var p : all)
            code.add(p.with("__shfl_xor_sync(0xffffffffu, %s, far)".formatted(p.name)));
        code.close();
        if (count == 32) return;
        int warps = count / 32;
        code.add("{");
        for (var p : all)
            code.add("__shared__ %s %s[%d];", CudaSyntax.computed(p.type), ofWarps(p), warps);
        code.add("__syncthreads();");
        code.open("if ((threadIdx.x & 31) == 0)");
        for (var p : all) code.add("%s[threadIdx.x >> 5] = %s;", ofWarps(p), p.name);
        code.close();
        code.add("__syncthreads();");
        for (var p : all) {
            code.add("%s = %s[0];", p.name, ofWarps(p));
            code.add("#pragma unroll");
            code.add("for (int w = 1; w < %d; w++) %s", warps, p.with(ofWarps(p) + "[w]"));
        }
        code.close();
    }

    private static String ofWarps(Partial p) {
        return "warps_" + p.name;
    }
}
