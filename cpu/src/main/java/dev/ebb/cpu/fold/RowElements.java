package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.Fused;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileStore;
import dev.ebb.cpu.tile.WarmupStep;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;

import java.util.List;
import java.util.Optional;

/**
 * Writes the elements of rows whose numbers are in a tile. A tile is read entirely before any of it
 * is written, and no row is read again after that: an output may overwrite an operand.
 */
final class RowElements {
    /** Enough elements to be worth timing. */
    private static final int TIMED = 1024;

    private final RowBody body;
    private final TileStore store;
    private final long width;
    private final Optional<RowRuns> runs;

    RowElements(
            RowBody body,
            Kernel.Rows k,
            List<Buffer> in,
            RowSlots slots,
            Buffer out,
            FusedLoops loops) {
        this.body = body;
        store = new TileStore(out, body.result());
        width = slots.width();
        runs = RowRuns.map(body.line(), k, in, out, slots, loops);
    }

    void expect(long elements) {
        if (runs.isPresent()) runs.get().entry().expect(elements);
        else body.expect(elements);
    }

    void run(Tile tile, long first, int count) {
        if (runs.isPresent()) {
            rows(runs.get(), tile, first, count);
            return;
        }
        long from = first * width;
        long to = from + count * width;
        var loops = body.loops().orElse(null);
        var made = loops == null ? null : loops.entry().loops();
        if (loops == null || made == null) plain(tile, from, to);
        else if (loops.entry().state().isHot()) fused(loops, made, tile, from, to);
        else warm(loops, made, tile, from, to);
    }

    private void rows(RowRuns fused, Tile tile, long first, int count) {
        var loop = fused.entry().loop();
        var state = fused.entry().state();
        if (loop == null) {
            plain(tile, first * width, (first + count) * width);
            return;
        }
        if (state.isHot()) {
            fused.map(loop, tile, first, count, 0, (int) width);
            return;
        }
        boolean trial = count * width >= 2 * TIMED && state.isTimeToMeasure();
        int some = trial ? (int) width / 16 * 8 : state.isHopeless() ? 0 : 8;
        some = (int) Math.min(some, width);
        long start = System.nanoTime();
        if (trial) fused.map(loop, tile, first, count, 0, some);
        else for (int r = 0; r < count; r++) fused.map(loop, tile, first + r, 1, 0, some);
        long turn = System.nanoTime();
        for (int r = 0; r < count; r++)
            plain(tile, (first + r) * width + some, (first + r + 1) * width);
        double rest = System.nanoTime() - turn;
        state.note(trial, (double) (turn - start) / some, rest / (width - some));
    }

    private void plain(Tile tile, long from, long to) {
        body.begin(tile, body.length());
        for (long p = from; p < to; ) {
            int n = (int) Math.min(body.length(), to - p);
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

    /**
     * Computes a sample by the generated loops and the rest by the program; occasionally half by
     * each, timed.
     */
    private void warm(RowLoops loops, List<Fused> made, Tile tile, long from, long to) {
        var state = loops.entry().state();
        boolean trial = to - from >= 2 * TIMED && state.isTimeToMeasure();
        long sample = state.isHopeless() ? 0 : 2 * WarmupStep.SAMPLE;
        long middle = trial ? from + (to - from) / 2 : Math.min(to, from + sample);
        long start = System.nanoTime();
        fused(loops, made, tile, from, middle);
        long turn = System.nanoTime();
        plain(tile, middle, to);
        double rest = System.nanoTime() - turn;
        state.note(trial, (double) (turn - start) / (middle - from), rest / (to - middle));
    }
}
