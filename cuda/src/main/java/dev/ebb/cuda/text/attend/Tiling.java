package dev.ebb.cuda.text.attend;

import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.DType;

/**
 * The tile sizes of attention on tensor cores. They depend on the type and the widths alone, and so
 * do the bits. Each of the four warps of a block has {@code 16 * fragments} rows of its own side;
 * {@code together} rows of the other side are in shared memory, while the next ones are being
 * loaded. The numbers are the fastest of several that were timed on an H200.
 *
 * @param resident blocks that a multiprocessor must have registers for
 * @param kept whether a warp keeps its own rows in registers; if not, more registers remain for
 *     sums
 * @param group whether the four warps multiply together ({@code wgmma})
 */
record Tiling(int fragments, int together, boolean kept, int resident, boolean group) {
    Tiling(int fragments, int together, boolean kept) {
        this(fragments, together, kept, 1, false);
    }

    /** The four warps multiply together; {@code together} rows of the other side. */
    private static Tiling group(int together, int resident) {
        return new Tiling(1, together, false, resident, true);
    }

    /** Whether type and widths allow four warps to multiply together. */
    private static boolean isGroup(DType type, AttentionShape h) {
        return type != DType.F32 && h.width() % 64 == 0 && h.valueWidth() % 64 == 0;
    }

    /** The C++ type that multiplies elements of type {@code t}: with four warps or with one. */
    String multiplier(String t) {
        return (group ? "Groups<" : "Warps<") + t + ">";
    }

    static final int THREADS = 128;

    /** The registers of a thread for sums, in addition to its factors. */
    private static final int SUMS = 128;

    /** The launch bounds. */
    String bounds() {
        return resident == 1 ? Integer.toString(THREADS) : THREADS + ", " + resident;
    }

    /** The rows of a block. */
    int rows() {
        return 64 * fragments;
    }

    long blocks(int rows) {
        return (rows + rows() - 1) / rows();
    }

    /** A width rounded up to whole fragments. */
    static int whole(int width) {
        return (width + 15) / 16 * 16;
    }

    /** Elements from one row to the next in shared memory. */
    private int pitch(DType type, int width) {
        return whole(width) + (group ? 0 : type == DType.F32 ? 4 : 8);
    }

    private static int widest(AttentionShape h) {
        return whole(Math.max(h.width(), h.valueWidth()));
    }

    static Tiling forward(DType type, AttentionShape h) {
        boolean f32 = type == DType.F32;
        if (isGroup(type, h) && widest(h) <= 128) return group(64, widest(h) <= 64 ? 4 : 2);
        if (widest(h) <= 64) return new Tiling(2, 64, true);
        if (widest(h) <= 128) return new Tiling(2, f32 ? 16 : 32, false);
        return new Tiling(1, f32 ? 16 : 32, false);
    }

    static Tiling queries(DType type, AttentionShape h) {
        boolean f32 = type == DType.F32;
        if (isGroup(type, h) && widest(h) <= 128) return group(64, widest(h) <= 64 ? 4 : 2);
        if (widest(h) <= 64) return f32 ? new Tiling(2, 32, false) : new Tiling(2, 64, false);
        if (widest(h) <= 128) return f32 ? new Tiling(1, 16, false) : new Tiling(1, 64, true);
        return new Tiling(1, 16, false);
    }

    static Tiling keys(DType type, AttentionShape h) {
        boolean f32 = type == DType.F32;
        if (isGroup(type, h) && widest(h) <= 128) return group(64, widest(h) <= 64 ? 3 : 1);
        if (widest(h) <= 64)
            return f32 ? new Tiling(2, 32, false) : new Tiling(1, 64, false, 3, false);
        if (widest(h) <= 128) return new Tiling(1, f32 ? 16 : 32, false);
        return new Tiling(1, 16, false);
    }

    /** Whether the gradients of keys and values need too many registers for one kernel. */
    static boolean isApart(AttentionShape h) {
        return (whole(h.width()) + whole(h.valueWidth())) / 2 > SUMS;
    }

    /**
     * Bytes of shared memory: own rows of one or two operands, and twice the rows of the other
     * side.
     */
    int bytes(DType type, AttentionShape h, boolean gradient) {
        long query = pitch(type, h.width());
        long value = pitch(type, h.valueWidth());
        long own = rows() * (gradient ? query + value : query);
        long other = 2L * together * (query + value);
        // two f32 for each row of the other side
        long numbers = gradient ? 16L * together : 0;
        return (int) (type.bytes(own + other) + numbers);
    }
}
