package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An elementwise kernel, cut into parts of consecutive positions. The cut depends on the shape
 * alone, and falls on multiples of 1024, so that no two parts share a byte of bits. Within a part a
 * tile is read whole before any of it is written: an output may lie over an operand it is computed
 * from.
 */
final class MapKernel implements Runnable, Workers.Part {
    /** Below this a second thread costs more than it saves. */
    static final int GRAIN = 16 * 1024;

    private static final int MOST_PARTS = 64;

    private final long size;
    private final long part;
    private final TileProgram program;
    private final Store[] stores;
    private final Optional<FusedMap> fused;
    private final Workers workers;
    private final Tiles tiles;

    MapKernel(
            Kernel.Map map,
            List<Buffer> in,
            List<Buffer> out,
            Workers workers,
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
        var bodies = new ArrayList<Scalar>();
        for (int j = 0; j < out.size(); j++) {
            bodies.add(Stored.as(map.bodies().get(j), sources, out.get(j)));
        }
        program = new TileProgram(bodies, map.shape(), List.copyOf(sources));
        stores = new Store[out.size()];
        for (int j = 0; j < stores.length; j++)
            stores[j] = new Store(out.get(j), program.result(j));
        fused = FusedMap.of(program.line(), map.shape(), in, map.operands(), out, loops);
    }

    /** How many positions a part of {@code size} covers. */
    static long partSize(long size) {
        long even = Math.ceilDiv(size, MOST_PARTS);
        return Math.max(GRAIN, Math.ceilDiv(even, Tile.LENGTH) * Tile.LENGTH);
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
        var loop = fused.map(f -> f.entry().loop()).orElse(null);
        if (loop == null) {
            program.begin(tile, (int) Math.min(program.length(), to - from));
            tiles(tile, from, to);
        } else if (fused.get().entry().state().isHot()) {
            fused.get().range(loop, from, to);
        } else {
            program.begin(tile, (int) Math.min(program.length(), to - from));
            warm(tile, fused.get(), loop, from, to);
        }
    }

    private void tiles(Tile tile, long from, long to) {
        int length = program.length();
        for (long p = from; p < to; p += length) {
            int n = (int) Math.min(length, to - p);
            program.run(tile, p, n);
            for (Store store : stores) store.run(tile, p, n);
        }
    }

    /**
     * A taste of each tile by the generated loop, the rest by the tile; now and then half and half,
     * timed.
     */
    private void warm(Tile tile, FusedMap map, Fused loop, long from, long to) {
        var state = map.entry().state();
        for (long p = from; p < to; p += Tile.LENGTH) {
            long end = Math.min(to, p + Tile.LENGTH);
            if (end - p == Tile.LENGTH && state.isTimeToMeasure()) {
                long middle = p + Tile.LENGTH / 2;
                long start = System.nanoTime();
                map.range(loop, p, middle);
                long turn = System.nanoTime();
                tiles(tile, middle, end);
                state.compare(turn - start, System.nanoTime() - turn);
            } else {
                long taste = state.isHopeless() ? 0 : Math.min(2 * Warming.TASTE, end - p);
                map.range(loop, p, p + taste);
                tiles(tile, p + taste, end);
            }
        }
    }
}
