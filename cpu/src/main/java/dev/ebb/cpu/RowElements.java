package dev.ebb.cpu;

import dev.ebb.ir.Buffer;

import java.util.List;

/**
 * Writes the elements of rows whose numbers a tile holds. A tile is read whole before any of it is
 * written, and no row is read again after that: an output may lie over an operand.
 */
final class RowElements {
    /** Enough elements to be worth timing. */
    private static final int TIMED = 1024;

    private final RowBody body;
    private final Store store;
    private final long width;

    RowElements(RowBody body, RowSlots slots, Buffer out) {
        this.body = body;
        store = new Store(out, body.result());
        width = slots.width();
    }

    void run(Tile tile, long first, int count) {
        long from = first * width;
        long to = from + count * width;
        var loops = body.loops().orElse(null);
        var made = loops == null ? null : loops.entry().loops();
        if (loops == null || made == null) plain(tile, from, to);
        else if (loops.entry().state().isHot()) fused(loops, made, tile, from, to);
        else warm(loops, made, tile, from, to);
    }

    private void plain(Tile tile, long from, long to) {
        body.begin(tile, (int) Math.min(body.length(), width));
        for (long p = from; p < to; ) {
            int n = (int) Math.min(Math.min(body.length(), width - p % width), to - p);
            body.plain(tile, p, n);
            store.run(tile, p, n);
            p += n;
        }
    }

    private void fused(RowLoops loops, List<Fused> made, Tile tile, long from, long to) {
        int row = body.row(tile, from);
        for (long p = from; p < to; row++) {
            int n = (int) Math.min(width - p % width, to - p);
            loops.run(made, tile, p, n, row, 0);
            p += n;
        }
    }

    /** A taste by the generated loops, the rest by the program; now and then halves, timed. */
    private void warm(RowLoops loops, List<Fused> made, Tile tile, long from, long to) {
        var state = loops.entry().state();
        boolean timed = to - from >= 2 * TIMED && state.isTimeToMeasure();
        long taste = state.isHopeless() ? 0 : 2 * Warming.TASTE;
        long middle = timed ? from + (to - from) / 2 : Math.min(to, from + taste);
        long start = System.nanoTime();
        fused(loops, made, tile, from, middle);
        long turn = System.nanoTime();
        plain(tile, middle, to);
        if (timed) {
            long end = System.nanoTime();
            double first = (double) (turn - start) / (middle - from);
            state.compare(first, (double) (end - turn) / (to - middle));
        }
    }
}
