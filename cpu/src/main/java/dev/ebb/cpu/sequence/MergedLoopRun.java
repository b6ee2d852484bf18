package dev.ebb.cpu.sequence;

import dev.ebb.cpu.tile.RunLoads;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileLoad;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Runs a merged loop in blocks of iterations: copies operands to registers, computes, and copies
 * results to memory. Workers share the iterations; as no iteration reads what another computes,
 * their order does not matter.
 */
final class MergedLoopRun implements Runnable, Workers.Part {
    /** The iterations that a worker takes at a time. */
    static final int SHARE = 4096;

    /**
     * Copies rows between memory and registers: {@code outer} ranges of this many elements for each
     * iteration.
     */
    private record Rows(MemorySegment memory, boolean doubles, int at, long outer, long inner) {
        Rows in(MemorySegment other) {
            return new Rows(other, doubles, at, outer, inner);
        }
    }

    private final long n;
    private final int iterations;
    private final List<TileLoad> columns = new ArrayList<>();
    private final LoopGather[] picks;
    private final Rows[] wholes;
    private final Rows[] loads;
    private final Rows[] stores;
    private final MergedLoopForm form;
    private final MergedLoopBody body;
    private final WorkerGroup workers;
    private final Tiles tiles;

    MergedLoopRun(MergedLoopForm form, MergedLoopBody body, WorkerGroup workers, Tiles tiles) {
        this.form = form;
        this.body = body;
        this.workers = workers;
        this.tiles = tiles;
        n = form.merged().n();
        iterations = form.iterations();
        var rows = new ArrayList<Rows>();
        form.merged()
                .loads()
                .forEach(
                        (slot, from) -> {
                            int at = form.starts().getOrDefault(slot, 0);
                            if (slot.form() instanceof RegisterSlot.Form.Column(var loop, var view))
                                columns.add(new TileLoad(from, view, loop, at));
                            else rows.add(rows(slot, from, at));
                        });
        wholes = rows.stream().filter(r -> r.outer == 0).toArray(Rows[]::new);
        loads = rows.stream().filter(r -> r.outer > 0).toArray(Rows[]::new);
        picks =
                IntStream.range(0, form.merged().picks().size())
                        .mapToObj(i -> new LoopGather(form, i, body))
                        .toArray(LoopGather[]::new);
        stores =
                form.stores().stream()
                        .map(s -> rows(s.slot(), s.to(), form.starts().getOrDefault(s.slot(), 0)))
                        .toArray(Rows[]::new);
    }

    private static Rows rows(RegisterSlot slot, Buffer buffer, int at) {
        boolean doubles = slot.value().type().dtype() == DType.F64;
        return switch (slot.form()) {
            case RegisterSlot.Form.Rows(long outer, long inner) ->
                    new Rows(buffer.segment(), doubles, at, outer, inner);
            case RegisterSlot.Form.Whole _ ->
                    new Rows(buffer.segment(), doubles, at, 0, slot.value().type().size());
            case RegisterSlot.Form.Column _ ->
                    throw new IllegalArgumentException(slot + " is no row");
        };
    }

    MergedLoopForm form() {
        return form;
    }

    /** Redirects a store to {@code to}. */
    void write(int store, MemorySegment to) {
        stores[store] = stores[store].in(to);
    }

    /** Redirects a store back to its planned memory. */
    void writeBack(int store) {
        write(store, form.stores().get(store).to().segment());
    }

    @Override
    public void run() {
        workers.run((int) Math.ceilDiv(n, SHARE), this);
    }

    @Override
    public void run(int part, int worker) {
        var tile = tiles.of(worker);
        long to = Math.min(n, (part + 1L) * SHARE);
        for (var whole : wholes) in(whole, tile, 0, whole.at, (int) whole.inner);
        for (long first = (long) part * SHARE; first < to; first += iterations) {
            int some = (int) Math.min(iterations, to - first);
            for (var column : columns) column.run(tile, first, some);
            for (var rows : loads) load(rows, tile, first, some);
            for (var pick : picks) pick.run(tile, first, some);
            body.run(tile.f64, tile.f32, some, (int) first);
            for (var rows : stores) store(rows, tile, first, some);
        }
    }

    private void load(Rows r, Tile tile, long first, int some) {
        for (long o = 0; o < r.outer; o++)
            in(
                    r,
                    tile,
                    (o * n + first) * r.inner,
                    (int) (r.at + o * iterations * r.inner),
                    (int) (some * r.inner));
    }

    private static void in(Rows r, Tile tile, long from, int at, int count) {
        if (r.doubles) MemorySegment.copy(r.memory, RunLoads.DOUBLE, from * 8, tile.f64, at, count);
        else MemorySegment.copy(r.memory, RunLoads.FLOAT, from * 4, tile.f32, at, count);
    }

    private void store(Rows r, Tile tile, long first, int some) {
        if (r.outer == 0) {
            out(r, tile, 0, r.at, (int) r.inner);
            return;
        }
        for (long o = 0; o < r.outer; o++)
            out(
                    r,
                    tile,
                    (o * n + first) * r.inner,
                    (int) (r.at + o * iterations * r.inner),
                    (int) (some * r.inner));
    }

    private static void out(Rows r, Tile tile, long to, int at, int count) {
        if (r.doubles) MemorySegment.copy(tile.f64, at, r.memory, RunLoads.DOUBLE, to * 8, count);
        else MemorySegment.copy(tile.f32, at, r.memory, RunLoads.FLOAT, to * 4, count);
    }
}
