package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Panels of F32, from factors in F32, BF16 or F16. */
final class F32Panels extends Panels {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final int LANES = F32Blocks.LANES;
    private static final int ROWS = 256;
    private static final int COLUMNS = 256;
    /** Where in a worker's store the right factor begins; the left one is at its start. */
    private static final int RIGHT = ROWS * DEPTH;

    private static final int SUMS = 64 * COLUMNS;

    /** One worker's panels; {@code byRows} tells which of the two layouts the left one has. */
    private static final class Scratch {
        final float[] store = new float[RIGHT + COLUMNS * DEPTH];
        final MemorySegment edge;
        final MemorySegment sums;
        boolean byRows;

        Scratch(Arena arena) {
            edge = arena.allocate(4L * 4 * LANES, 64);
            sums = arena.allocate(4L * SUMS, 64);
        }

        static long bytes() {
            return 4L * (RIGHT + COLUMNS * DEPTH + 4 * LANES + SUMS);
        }
    }

    private final Scratch[] scratch;

    F32Panels(int workers) {
        var arena = Arena.ofAuto();
        scratch = new Scratch[workers];
        for (int i = 0; i < workers; i++) scratch[i] = new Scratch(arena);
    }

    /** The heap scratch of a worker, free to be used by a kernel that packs no tiles meanwhile. */
    float[] store(int worker) {
        return scratch[worker].store;
    }

    /** How many floats {@link #store} holds. */
    static int stored() {
        return RIGHT + COLUMNS * DEPTH;
    }

    @Override
    int rows() {
        return ROWS;
    }

    @Override
    int columns() {
        return COLUMNS;
    }

    @Override
    int lanes() {
        return LANES;
    }

    @Override
    long bytes() {
        return scratch.length * Scratch.bytes();
    }

    @Override
    void left(int worker, Buffer a, long base, long rowStride, long depthStride, int rows, int depth) {
        var s = scratch[worker];
        s.byRows = depthStride == 1 && a.dtype() == DType.F32;
        if (s.byRows) F32Pack.rows(a, base, rowStride, rows, depth, s.store, 0);
        else F32Pack.panels(a, base, rowStride, depthStride, rows, depth, s.store, 0);
    }

    @Override
    void right(int worker, Buffer b, long base, long depthStride, long columnStride, int columns, int depth) {
        F32Pack.panels(b, base, columnStride, depthStride, columns, depth, scratch[worker].store, RIGHT);
    }

    @Override
    void multiply(
            int worker, int rows, int columns, int depth, MemorySegment c, long at, long stride, boolean add) {
        var s = scratch[worker];
        for (int j = 0; j < columns; j += LANES) {
            boolean whole = columns - j >= LANES;
            for (int i = 0; i < rows; i += 4) {
                long to = (at + i * stride + j) * 4;
                if (whole && rows - i >= 4) {
                    block(s, i, j, depth, c, to, stride * 4, add);
                } else {
                    block(s, i, j, depth, s.edge, 0, LANES * 4L, false);
                    edge(s.edge, c, to, stride * 4, Math.min(4, rows - i), Math.min(LANES, columns - j), add);
                }
            }
        }
    }

    private static void block(
            Scratch s, int i, int j, int depth, MemorySegment c, long to, long row, boolean add) {
        if (s.byRows) {
            F32Blocks.rows(depth, s.store, i * depth, depth, s.store, RIGHT + j * depth, c, to, row, add);
        } else {
            int at = i / LANES * LANES * depth + i % LANES;
            F32Blocks.columns(depth, s.store, at, LANES, s.store, RIGHT + j * depth, c, to, row, add);
        }
    }

    private static void edge(
            MemorySegment from, MemorySegment c, long to, long row, int rows, int columns, boolean add) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                long at = to + i * row + j * 4L;
                float x = from.get(FLOAT, (i * (long) LANES + j) * 4);
                c.set(FLOAT, at, add ? x + c.get(FLOAT, at) : x);
            }
        }
    }

    @Override
    int sums() {
        return SUMS;
    }

    @Override
    MemorySegment sums(int worker) {
        return scratch[worker].sums;
    }

    @Override
    void clear(int rows, int columns, MemorySegment c, long at, long stride) {
        for (int i = 0; i < rows; i++) c.asSlice((at + i * stride) * 4, columns * 4L).fill((byte) 0);
    }

    @Override
    void finish(int worker, int at, int count, Epilogue epilogue, Tile tile, long position) {
        var s = scratch[worker];
        MemorySegment.copy(s.sums, FLOAT, 4L * at, s.store, 0, count);
        epilogue.run(tile, s.store, 0, position, count);
    }
}
