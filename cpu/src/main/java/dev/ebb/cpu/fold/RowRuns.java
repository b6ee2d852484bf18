package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.code.FusedForm.Sink;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.FusedRows;
import dev.ebb.cpu.code.FusedStages;
import dev.ebb.cpu.code.RowForm;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.StridedRuns;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A light body over rows as one generated loop, called for many rows at once. Its operands are f32:
 * in memory, each consecutive or repeated along a row, or numbers of rows in a tile.
 */
final class RowRuns {
    /** In shorter rows, the loop costs more than it saves. */
    private static final long SHORTEST = 32;

    private final FusedLoops.RowEntry entry;
    private final StridedRuns outer;
    private final StridedRuns inner;
    private final MemorySegment[] memory;

    /**
     * For each argument and result of the loop: its view, or -1; and its start in a tile, or -1.
     */
    private final int[] view;

    private final int[] number;

    private RowRuns(
            FusedLoops.RowEntry entry,
            FusedStages.Stage stage,
            Kernel.Rows k,
            List<Buffer> places,
            List<View> views,
            RowSlots slots) {
        this.entry = entry;
        outer = outer(k, views);
        inner = inner(k, views);
        int count = stage.places().size();
        int reads = stage.form().accesses().size();
        memory = new MemorySegment[count];
        view = new int[count];
        number = new int[count];
        for (int i = 0; i < count; i++) {
            int place = stage.places().get(i);
            boolean held = i < reads && place >= slots.operands();
            boolean heap = i >= reads && places.size() == slots.operands();
            number[i] = held ? slots.start(place - slots.operands()) : -1;
            view[i] = held || heap ? -1 : i < reads ? place : slots.operands();
            // an operand in the tile needs no segment, but the loop expects one of the same kind
            memory[i] = places.get(Math.max(0, view[i])).segment();
        }
    }

    /** The body of a fold; its lanes go to the heap. */
    static Optional<RowRuns> fold(
            OperationList line,
            Kernel.Combine combine,
            Kernel.Rows k,
            List<Buffer> in,
            RowSlots slots,
            FusedLoops loops) {
        return of(line, RowForm.use(combine), k, in, k.operands(), slots, loops);
    }

    /** The body whose elements go to {@code out} in order. */
    static Optional<RowRuns> map(
            OperationList line,
            Kernel.Rows k,
            List<Buffer> in,
            Buffer out,
            RowSlots slots,
            FusedLoops loops) {
        var places = new ArrayList<>(in);
        places.add(out);
        var views = new ArrayList<>(k.operands());
        views.add(View.contiguous(k.shape()));
        return of(line, RowForm.Use.MAP, k, places, views, slots, loops);
    }

    private static Optional<RowRuns> of(
            OperationList line,
            RowForm.Use use,
            Kernel.Rows k,
            List<Buffer> places,
            List<View> views,
            RowSlots slots,
            FusedLoops loops) {
        if (places.isEmpty()
                || places.stream().anyMatch(b -> b.dtype() != DType.F32)
                || !slots.areSingles()
                || slots.width() < SHORTEST
                || slots.width() > 1 << 28
                || places.size() + slots.types().size() > Tile.RANK) return Optional.empty();
        var inner = inner(k, views);
        if (inner.count() != 1) return Optional.empty();
        var accesses = new ArrayList<Optional<Access>>();
        for (int i = 0; i < slots.operands(); i++) {
            accesses.add(
                    inner.step(i) == 0
                            ? Optional.of(Access.FLOAT)
                            : inner.step(i) == 1 ? Optional.of(Access.FLOATS) : Optional.empty());
        }
        for (DType _ : slots.types()) accesses.add(Optional.of(Access.HELD));
        var sink = use == RowForm.Use.MAP ? Sink.FLOATS : Sink.REGISTER;
        return FusedStages.of(line, accesses, List.of(sink))
                .filter(stages -> !stages.usesRegisters())
                .map(stages -> stages.stages().getFirst())
                .map(
                        stage ->
                                new RowRuns(
                                        loops.of(new RowForm(stage.form(), use)),
                                        stage,
                                        k,
                                        places,
                                        views,
                                        slots));
    }

    private static StridedRuns outer(Kernel.Rows k, List<View> views) {
        return new StridedRuns(
                k.outer(),
                views.stream()
                        .map(v -> new View(v.offset(), v.strides().subList(0, k.leading())))
                        .toList());
    }

    private static StridedRuns inner(Kernel.Rows k, List<View> views) {
        int rank = k.shape().rank();
        return new StridedRuns(
                new Shape(k.shape().dims().subList(k.leading(), rank)),
                views.stream()
                        .map(v -> new View(0, v.strides().subList(k.leading(), rank)))
                        .toList());
    }

    FusedLoops.RowEntry entry() {
        return entry;
    }

    /** Writes {@code n} elements from {@code column} on of {@code count} rows. */
    void map(FusedRows loop, Tile tile, long first, int count, int column, int n) {
        int whole = n / 8 * 8;
        each(loop, tile, first, count, column, whole, 0, 0, false);
        if (whole < n) each(loop, tile, first, count, column + whole, n - whole, 0, 0, true);
    }

    /**
     * Folds {@code n} elements of {@code count} rows; their lanes are {@link #apart} elements
     * apart.
     */
    void fold(FusedRows loop, Tile tile, long first, int count, int column, int n) {
        int whole = n / Combiner.LANES * Combiner.LANES;
        each(loop, tile, first, count, column, whole, Tile.LANES, apart(n), false);
        for (int at = whole; at < n; at += 8) {
            int some = Math.min(8, n - at);
            int lane = Tile.LANES + at - whole;
            each(loop, tile, first, count, column + at, some, lane, apart(n), true);
        }
    }

    /** The number of lanes that a fold of {@code n} elements writes. */
    static int apart(int n) {
        return n % Combiner.LANES == 0 ? 8 : Combiner.LANES;
    }

    /** Calls the loop for as many rows as have uniform strides. */
    private void each(
            FusedRows loop,
            Tile tile,
            long first,
            int count,
            int column,
            int n,
            int lane,
            int apart,
            boolean tail) {
        var at = tile.at;
        var steps = tile.steps;
        for (int done = 0; done < count; ) {
            long row = first + done;
            int within = (int) (row % outer.length());
            int some = Math.min(outer.length() - within, count - done);
            int held = (int) (row - tile.firstRow);
            outer.starts(row / outer.length(), tile.starts);
            for (int i = 0; i < view.length; i++) {
                int v = view[i];
                if (v >= 0) {
                    long start = tile.starts[v] + within * outer.step(v) + column * inner.step(v);
                    at[i] = start * 4;
                    steps[i] = outer.step(v) * 4;
                } else if (number[i] >= 0) {
                    at[i] = (long) number[i] + held;
                    steps[i] = 1;
                } else {
                    at[i] = lane + (long) done * apart;
                    steps[i] = apart;
                }
            }
            if (tail) loop.tails(memory, at, tile.f32, n, steps, some);
            else loop.rows(memory, at, tile.f32, n, steps, some);
            done += some;
        }
    }
}
