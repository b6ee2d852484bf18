package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Panels of F64. */
final class F64Panels extends Panels {
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final int LANES = F64Blocks.LANES;
    private static final int ROWS = 128;
    private static final int COLUMNS = 128;
    /** Where in a worker's store the right factor begins; the left one is at its start. */
    private static final int RIGHT = ROWS * DEPTH;

    private static final int SUMS = 64 * COLUMNS;

    /** One worker's panels; {@code byRows} tells which of the two layouts the left one has. */
    private static final class Scratch {
        final double[] store = new double[RIGHT + COLUMNS * DEPTH];
        final MemorySegment edge;
        final MemorySegment sums;
        boolean byRows;

        Scratch(Arena arena) {
            edge = arena.allocate(8L * 4 * LANES, 64);
            sums = arena.allocate(8L * SUMS, 64);
        }

        static long bytes() {
            return 8L * (RIGHT + COLUMNS * DEPTH + 4 * LANES + SUMS);
        }
    }

    private final Scratch[] scratch;

    F64Panels(int workers) {
        var arena = Arena.ofAuto();
        scratch = new Scratch[workers];
        for (int i = 0; i < workers; i++) scratch[i] = new Scratch(arena);
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
        s.byRows = depthStride == 1;
        if (s.byRows) F64Pack.rows(a, base, rowStride, rows, depth, s.store, 0);
        else F64Pack.panels(a, base, rowStride, depthStride, rows, depth, s.store, 0);
    }

    @Override
    void right(int worker, Buffer b, long base, long depthStride, long columnStride, int columns, int depth) {
        F64Pack.panels(b, base, columnStride, depthStride, columns, depth, scratch[worker].store, RIGHT);
    }

    @Override
    void multiply(
            int worker, int rows, int columns, int depth, MemorySegment c, long at, long stride, boolean add) {
        var s = scratch[worker];
        for (int j = 0; j < columns; j += LANES) {
            boolean whole = columns - j >= LANES;
            for (int i = 0; i < rows; i += 4) {
                long to = (at + i * stride + j) * 8;
                if (whole && rows - i >= 4) {
                    block(s, i, j, depth, c, to, stride * 8, add);
                } else {
                    block(s, i, j, depth, s.edge, 0, LANES * 8L, false);
                    edge(s.edge, c, to, stride * 8, Math.min(4, rows - i), Math.min(LANES, columns - j), add);
                }
            }
        }
    }

    private static void block(
            Scratch s, int i, int j, int depth, MemorySegment c, long to, long row, boolean add) {
        if (s.byRows) {
            F64Blocks.rows(depth, s.store, i * depth, depth, s.store, RIGHT + j * depth, c, to, row, add);
        } else {
            int at = i / LANES * LANES * depth + i % LANES;
            F64Blocks.columns(depth, s.store, at, LANES, s.store, RIGHT + j * depth, c, to, row, add);
        }
    }

    private static void edge(
            MemorySegment from, MemorySegment c, long to, long row, int rows, int columns, boolean add) {
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                long at = to + i * row + j * 8L;
                double x = from.get(DOUBLE, (i * (long) LANES + j) * 8);
                c.set(DOUBLE, at, add ? x + c.get(DOUBLE, at) : x);
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
        for (int i = 0; i < rows; i++) c.asSlice((at + i * stride) * 8, columns * 8L).fill((byte) 0);
    }

    @Override
    void finish(int worker, int at, int count, Epilogue epilogue, Tile tile, long position) {
        var s = scratch[worker];
        MemorySegment.copy(s.sums, DOUBLE, 8L * at, s.store, 0, count);
        epilogue.run(tile, s.store, 0, position, count);
    }
}
