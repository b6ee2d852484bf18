package dev.ebb.cpu.group;

import dev.ebb.cpu.code.Fused;
import dev.ebb.cpu.code.FusedBlocks;
import dev.ebb.cpu.fold.FoldBody;
import dev.ebb.cpu.fold.FoldKernel;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.exec.Sequence;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Maps over the same positions, with at most one fold, computed by generated loops once these are
 * JIT-compiled and faster than one kernel after the other. Both ways give the same bits.
 */
final class MapGroup implements Runnable {
    /**
     * The loops count as JIT-compiled if a sample takes less than one part in this many of the
     * single kernels' time per position.
     */
    private static final int QUICK = 8;

    private final List<Sequence.Work> works;
    private final FusedBlocks blocks;
    private final int n;
    private final WorkerGroup workers;
    private final Tiles tiles;
    private final Optional<Runnable> fold;

    /** The best time per position of running the kernels one after the other. */
    private double plain = Double.MAX_VALUE;

    MapGroup(MapGroupForm form, FusedBlocks blocks, WorkerGroup workers, Tiles tiles) {
        this.blocks = blocks;
        this.workers = workers;
        this.tiles = tiles;
        works = form.works();
        n = Math.toIntExact(form.n());
        fold =
                form.fold()
                        .map(
                                f ->
                                        FoldKernel.oneRow(
                                                f.kernel(),
                                                new Folded(),
                                                form.type(),
                                                f.to(),
                                                workers,
                                                tiles));
    }

    /** The number of works in the group. */
    int count() {
        return works.size();
    }

    @Override
    public void run() {
        var entry = blocks.entry();
        entry.expect((long) n * works.size());
        var loops = entry.loops();
        if (loops == null) single();
        else if (entry.state().isHot()) together(loops);
        else warm(loops);
    }

    private void single() {
        for (var work : works) work.body().run();
    }

    private void together(List<Fused> loops) {
        if (fold.isPresent()) fold.get().run();
        else workers.run(1, (_, worker) -> blocks.run(loops, tiles.of(worker), 0, n));
    }

    /**
     * Runs the kernels one after the other, and a sample by the loops; now and then times the loops
     * on everything.
     */
    private void warm(List<Fused> loops) {
        var state = blocks.entry().state();
        boolean trial = plain < Double.MAX_VALUE && state.isTimeToMeasure();
        long start = System.nanoTime();
        if (trial) together(loops);
        else if (!state.isHopeless())
            workers.run(1, (_, worker) -> blocks.sample(loops, tiles.of(worker)));
        double took = System.nanoTime() - start;
        if (trial) {
            state.note(true, took / n, plain);
            return;
        }
        start = System.nanoTime();
        single();
        plain = Math.min(plain, (double) (System.nanoTime() - start) / n);
        // a sample omits the scalar functions, which take most of the time: only a quick one counts
        state.note(false, QUICK * took / FusedBlocks.sampled(), plain);
    }

    /** The operand of the fold. */
    private final class Folded implements FoldBody {
        @Override
        public void expect(long elements) {}

        @Override
        public void begin(Tile tile, int count) {}

        @Override
        public int length() {
            return Tile.LENGTH;
        }

        @Override
        public int result() {
            return 0;
        }

        @Override
        public void run(Tile tile, long position, int count) {
            blocks.run(Objects.requireNonNull(blocks.entry().loops()), tile, position, count);
        }
    }
}
