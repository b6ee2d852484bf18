package dev.ebb.cpu.code;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.StoredType;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileForm;
import dev.ebb.cpu.tile.TileProgram;
import dev.ebb.cpu.tile.TileStore;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.tile.WarmupStep;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An elementwise kernel, split into parts of consecutive positions. The split depends on the shape
 * alone and is at multiples of 1024, so that no two parts share a byte of bits. Within a part a
 * tile is read entirely before any of it is written: an output may overwrite an operand from which
 * it is computed.
 */
public final class MapKernel implements Runnable, Workers.Part {
    private static final int MOST_PARTS = 64;

    /** The most elements of a timed trial, so that the cost of a call counts as in a real run. */
    private static final int TIMED = 4 * Tile.LENGTH;

    private final long size;
    private final long part;
    private final TileProgram program;
    private final TileStore[] stores;
    private final Optional<FusedMap> fused;
    private final WorkerGroup workers;
    private final Tiles tiles;

    public MapKernel(
            Kernel.Map map,
            List<Buffer> in,
            List<Buffer> out,
            WorkerGroup workers,
            Tiles tiles,
            FusedLoops loops) {
        this.workers = workers;
        this.tiles = tiles;
        size = map.shape().size();
        part = partSize(size);
        var sources = new ArrayList<TileProgram.Source.Memory>();
        for (int i = 0; i < in.size(); i++) {
            sources.add(new TileProgram.Source.Memory(in.get(i), map.operands().get(i)));
        }
        var types = in.stream().map(Buffer::dtype).toList();
        var bodies = new ArrayList<Scalar>();
        for (int j = 0; j < out.size(); j++) {
            bodies.add(StoredType.as(map.bodies().get(j), types, out.get(j).dtype()));
        }
        program = new TileProgram(bodies, map.shape(), List.copyOf(sources));
        stores = new TileStore[out.size()];
        for (int j = 0; j < stores.length; j++)
            stores[j] = new TileStore(out.get(j), program.result(j));
        fused = FusedMap.of(program.line(), map.shape(), in, map.operands(), out, loops);
    }

    /** The memory that this kernel needs for each worker. */
    public static KernelScratch scratch(Kernel.Map map, List<DType> in, List<DType> out) {
        var args = new ArrayList<TileForm.Arg>();
        for (int i = 0; i < in.size(); i++)
            args.add(new TileForm.Arg.Read(in.get(i), map.operands().get(i)));
        var bodies = new ArrayList<Scalar>();
        for (int j = 0; j < out.size(); j++)
            bodies.add(StoredType.as(map.bodies().get(j), in, out.get(j)));
        var form = TileForm.of(bodies, map.shape(), args);
        long size = map.shape().size();
        var scratch = KernelScratch.shared(Math.ceilDiv(size, partSize(size))).and(form.scratch());
        for (DType stored : out) scratch = scratch.moving(stored, form.length());
        return scratch.and(
                FusedMap.stages(form.line(), map.shape(), in, map.operands(), out)
                        .map(FusedStages::scratch)
                        .orElse(KernelScratch.NOTHING));
    }

    /**
     * The positions of a part of a kernel of {@code size} positions: a quarter of the work that is
     * worth a thread.
     */
    static long partSize(long size) {
        if (size <= Workers.GRAIN) return Workers.GRAIN;
        long even = Math.ceilDiv(size, MOST_PARTS);
        return Math.max(Workers.GRAIN / 4, Math.ceilDiv(even, Tile.LENGTH) * Tile.LENGTH);
    }

    @Override
    public void run() {
        fused.ifPresent(f -> f.entry().expect(size));
        workers.run((int) Math.ceilDiv(size, part), this);
    }

    @Override
    public void run(int which, int worker) {
        var tile = tiles.of(worker);
        long from = which * part;
        long to = Math.min(size, from + part);
        var loops = fused.map(f -> f.entry().loops()).orElse(null);
        if (loops == null) {
            program.begin(tile, (int) Math.min(program.length(), to - from));
            tiles(tile, from, to);
        } else if (fused.get().entry().state().isHot()) {
            fused.get().range(loops, tile, from, to);
        } else {
            program.begin(tile, (int) Math.min(program.length(), to - from));
            warm(tile, fused.get(), loops, from, to);
        }
    }

    private void tiles(Tile tile, long from, long to) {
        int length = program.length();
        for (long p = from; p < to; p += length) {
            int n = (int) Math.min(length, to - p);
            program.run(tile, p, n);
            for (TileStore store : stores) store.run(tile, p, n);
        }
    }

    /**
     * Computes a sample of each tile by the generated loops, and the rest by the tile program;
     * occasionally times both on equally many elements.
     */
    private void warm(Tile tile, FusedMap map, List<Fused> loops, long from, long to) {
        var state = map.entry().state();
        for (long p = from; p < to; ) {
            boolean trial = to - p >= WarmupStep.TIMED && state.isTimeToMeasure();
            // whole vectors, half by each way, so that small maps are timed too
            long timed = Math.min(TIMED, (to - p) / 16 * 8);
            long sample = state.isHopeless() ? 0 : 2 * WarmupStep.SAMPLE;
            long middle = Math.min(to, p + (trial ? timed : sample));
            long end = Math.min(to, trial ? middle + timed : p + Tile.LENGTH);
            long start = System.nanoTime();
            map.range(loops, tile, p, middle);
            long turn = System.nanoTime();
            // the loops have overwritten the tile's registers
            program.begin(tile, program.length());
            tiles(tile, middle, end);
            double rest = System.nanoTime() - turn;
            state.note(trial, (double) (turn - start) / (middle - p), rest / (end - middle));
            p = end;
        }
    }
}
