package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.Fused;
import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.code.FusedForm.Sink;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.FusedStages;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.StridedRuns;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileStep;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A body over rows as generated loops: its operands are in memory, the numbers of the row in a
 * tile, and its values go to memory or to a register of the tile. All are f32.
 */
final class RowLoops {
    /** In shorter runs, calls cost more than the loops save. */
    private static final int SHORTEST = 64;

    private static final int REGISTER = FusedStages.REGISTER;

    /** The kind of location of a loop's argument or result. */
    private enum Where {
        MEMORY,
        NUMBER,
        REGISTER,
        HEAP
    }

    private final FusedLoops.Entry entry;
    private final StridedRuns runs;
    private final int views;
    private final MemorySegment[][] memory;
    private final Where[][] where;

    /** The number of a view, or the start in the tile. */
    private final int[][] base;

    private final TileStep[][] steps;

    private RowLoops(
            FusedLoops.Entry entry,
            StridedRuns runs,
            List<Buffer> places,
            int operands,
            int[] numbers) {
        this.entry = entry;
        this.runs = runs;
        views = places.size();
        var stages = entry.stages().stages();
        memory = new MemorySegment[stages.size()][];
        where = new Where[stages.size()][];
        base = new int[stages.size()][];
        steps = new TileStep[stages.size()][];
        for (int s = 0; s < steps.length; s++) {
            var stage = stages.get(s);
            int reads = stage.form().accesses().size();
            int count = stage.places().size();
            memory[s] = new MemorySegment[count];
            where[s] = new Where[count];
            base[s] = new int[count];
            for (int k = 0; k < count; k++) {
                int place = stage.places().get(k);
                where[s][k] = where(stage, k, views == operands);
                base[s][k] =
                        switch (where[s][k]) {
                            case MEMORY -> k < reads ? place : operands;
                            case NUMBER -> numbers[place - operands];
                            case REGISTER -> Tile.AFTER_LANES + place * REGISTER;
                            case HEAP -> 0;
                        };
                // an operand in the tile needs no segment, but the loop expects one of the same
                // kind
                boolean own = where[s][k] == Where.MEMORY;
                memory[s][k] = places.get(own ? base[s][k] : 0).segment();
            }
            steps[s] = stage.steps(Tile.AFTER_LANES);
        }
    }

    private static Where where(FusedStages.Stage stage, int k, boolean toHeap) {
        var form = stage.form();
        int reads = form.accesses().size();
        if (k < reads) {
            return switch (form.accesses().get(k)) {
                case FLOATS, FLOAT, BITS -> Where.MEMORY;
                case HELD -> Where.NUMBER;
                case REGISTER -> Where.REGISTER;
            };
        }
        if (form.sinks().get(k - reads) == Sink.FLOATS) return Where.MEMORY;
        return toHeap ? Where.HEAP : Where.REGISTER;
    }

    /** The body of a fold of rows, whose values go to the heap. */
    static Optional<RowLoops> toHeap(
            OperationList line,
            Shape shape,
            List<Buffer> in,
            List<View> operands,
            int[] numbers,
            FusedLoops loops) {
        // a body that only reads its argument is copied as fast
        if (line.operations().size() == 1) return Optional.empty();
        return of(line, shape, in, operands, numbers, Sink.REGISTER, loops);
    }

    /** The body whose elements go to {@code out} in order. */
    static Optional<RowLoops> toMemory(
            OperationList line,
            Shape shape,
            List<Buffer> in,
            List<View> operands,
            int[] numbers,
            Buffer out,
            FusedLoops loops) {
        var places = new ArrayList<>(in);
        places.add(out);
        var views = new ArrayList<>(operands);
        views.add(View.contiguous(shape));
        return of(line, shape, places, views, numbers, Sink.FLOATS, loops);
    }

    /**
     * @param numbers the start of the numbers of rows in a tile
     */
    private static Optional<RowLoops> of(
            OperationList line,
            Shape shape,
            List<Buffer> places,
            List<View> views,
            int[] numbers,
            Sink sink,
            FusedLoops loops) {
        var types = places.stream().map(Buffer::dtype).toList();
        int operands = sink == Sink.FLOATS ? views.size() - 1 : views.size();
        return stages(line, shape, types, views, numbers.length, sink)
                .map(
                        stages ->
                                new RowLoops(
                                        loops.of(stages),
                                        new StridedRuns(shape, views),
                                        places,
                                        operands,
                                        numbers));
    }

    /** The tile memory needed by loops whose elements go to memory in order. */
    static KernelScratch scratch(
            OperationList line,
            Shape shape,
            List<DType> in,
            DType out,
            List<View> operands,
            int numbers) {
        var types = new ArrayList<>(in);
        types.add(out);
        var views = new ArrayList<>(operands);
        views.add(View.contiguous(shape));
        return stages(line, shape, types, views, numbers, Sink.FLOATS)
                .map(
                        s ->
                                KernelScratch.NOTHING.and(
                                        ScratchArray.F32, Tile.AFTER_LANES + s.registerElements()))
                .orElse(KernelScratch.NOTHING);
    }

    private static Optional<FusedStages> stages(
            OperationList line,
            Shape shape,
            List<DType> types,
            List<View> views,
            int numbers,
            Sink sink) {
        if (types.isEmpty() || types.stream().anyMatch(t -> t != DType.F32))
            return Optional.empty();
        var runs = new StridedRuns(shape, views);
        if (runs.length() < SHORTEST || views.size() > Tile.RANK / 2) return Optional.empty();
        int operands = sink == Sink.FLOATS ? views.size() - 1 : views.size();
        var accesses = new ArrayList<Optional<Access>>();
        for (int i = 0; i < operands; i++) {
            accesses.add(
                    runs.step(i) == 0
                            ? Optional.of(Access.FLOAT)
                            : runs.step(i) == 1 ? Optional.of(Access.FLOATS) : Optional.empty());
        }
        for (int i = 0; i < numbers; i++) accesses.add(Optional.of(Access.HELD));
        return FusedStages.of(line, accesses, List.of(sink))
                .filter(stages -> sink == Sink.FLOATS || !stages.usesRegisters());
    }

    FusedLoops.Entry entry() {
        return entry;
    }

    /**
     * Computes {@code n} positions from {@code position} on, in the row whose numbers are at offset
     * {@code row} from the start of the numbers; values for the heap go to {@code heap} on.
     */
    void run(List<Fused> loops, Tile tile, long position, int n, int row, int heap) {
        var starts = tile.starts;
        for (int done = 0; done < n; ) {
            long p = position + done;
            int within = (int) (p % runs.length());
            int some = Math.min(runs.length() - within, n - done);
            if (steps.length > 1) some = Math.min(some, Tile.LENGTH);
            runs.starts(p / runs.length(), starts);
            for (int v = 0; v < views; v++) starts[v] += within * runs.step(v);
            for (int s = 0; s < steps.length; s++) {
                int whole = some / 8 * 8;
                var at = tile.at;
                if (whole > 0) {
                    begin(s, starts, 0, row, heap + done, at);
                    loops.get(s).run(memory[s], at, tile.f32, whole);
                }
                if (whole < some) {
                    begin(s, starts, whole, row, heap + done, at);
                    loops.get(s).tail(memory[s], at, tile.f32, some - whole);
                }
                for (TileStep step : steps[s]) step.run(tile, p, some);
            }
            done += some;
        }
    }

    private void begin(int s, long[] starts, int skip, int row, int heap, long[] at) {
        for (int k = 0; k < base[s].length; k++) {
            int from = base[s][k];
            at[k] =
                    switch (where[s][k]) {
                        case MEMORY -> (starts[from] + skip * runs.step(from)) * 4;
                        case NUMBER -> from + row;
                        case REGISTER -> from + skip;
                        case HEAP -> heap + skip;
                    };
        }
    }
}
