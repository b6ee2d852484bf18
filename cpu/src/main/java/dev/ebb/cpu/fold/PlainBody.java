package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.Fused;
import dev.ebb.cpu.code.FusedRun;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileProgram;
import dev.ebb.cpu.tile.WarmupStep;

import java.util.Optional;

/**
 * The body of a fold, computed by the steps of a tile program while cold and by a generated loop
 * once that is faster. Both give the same bits.
 */
record PlainBody(TileProgram program, Optional<FusedRun> fused) implements FoldBody {
    @Override
    public void expect(long elements) {
        fused.ifPresent(f -> f.entry().expect(elements));
    }

    @Override
    public void begin(Tile tile, int n) {
        program.begin(tile, n);
    }

    @Override
    public int length() {
        return program.length();
    }

    @Override
    public int result() {
        return program.result(0);
    }

    @Override
    public void run(Tile tile, long position, int n) {
        var run = fused.orElse(null);
        var loops = run == null ? null : run.entry().loops();
        if (run == null || loops == null) {
            program.run(tile, position, n);
        } else if (run.entry().state().isHot()) {
            run.run(loops.getFirst(), run.registers(tile), result(), position, n);
        } else {
            warm(tile, run, loops.getFirst(), position, n);
        }
    }

    /**
     * The loop computes a sample and the program everything; occasionally the loop computes as
     * much, timed.
     */
    private void warm(Tile tile, FusedRun run, Fused loop, long position, int n) {
        var state = run.entry().state();
        boolean trial = n >= WarmupStep.TIMED && state.isTimeToMeasure();
        int some = trial ? n : Math.min(n, WarmupStep.SAMPLE);
        long start = System.nanoTime();
        run.run(loop, run.registers(tile), result(), position, some);
        long turn = System.nanoTime();
        program.run(tile, position, n);
        double all = System.nanoTime() - turn;
        state.note(trial, (double) (turn - start) / some, all / n);
    }
}
