package dev.ebb.cpu.code;

import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.code.FusedForm.Sink;
import dev.ebb.cpu.tile.OperationList;
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
import java.util.stream.Stream;

/**
 * An elementwise kernel bound to generated loops: computes the runs of memory on which they are
 * called.
 */
public final class FusedMap {
    /** In shorter runs, calls cost more than the loops save. */
    private static final int SHORTEST = 64;

    private static final int REGISTER = FusedStages.REGISTER;

    /** A loop counts bytes in an int. */
    private static final int MOST_BYTES = 1 << 28;

    private final FusedLoops.Entry entry;
    private final StridedRuns runs;
    private final boolean[] bits;
    private final List<FusedStages.Stage> stages;
    private final MemorySegment[][] memory;
    private final TileStep[][] steps;
    private final int width;
    private final int most;

    private FusedMap(FusedLoops.Entry entry, StridedRuns runs, List<Buffer> places) {
        this.entry = entry;
        this.runs = runs;
        stages = entry.stages().stages();
        bits = new boolean[places.size()];
        for (int i = 0; i < bits.length; i++) bits[i] = places.get(i).dtype() == DType.BIT;
        memory = new MemorySegment[stages.size()][];
        steps = new TileStep[stages.size()][];
        for (int s = 0; s < steps.length; s++) {
            var stage = stages.get(s);
            memory[s] = new MemorySegment[stage.places().size()];
            for (int k = 0; k < memory[s].length; k++) {
                // a register needs no segment, but the loop expects one of the same kind
                int place = stage.isRegister(k) ? 0 : stage.places().get(k);
                memory[s][k] = places.get(place).segment();
            }
            steps[s] = stage.steps(0);
        }
        width = (int) entry.stages().type().bytes(1);
        most = entry.stages().usesRegisters() ? Tile.LENGTH : MOST_BYTES / width;
    }

    /** The kernel as generated loops, if its body and its views allow them. */
    public static Optional<FusedMap> of(
            OperationList line,
            Shape shape,
            List<Buffer> in,
            List<View> views,
            List<Buffer> out,
            FusedLoops loops) {
        var places = Stream.concat(in.stream(), out.stream()).toList();
        return stages(line, shape, types(in), views, types(out))
                .map(
                        stages ->
                                new FusedMap(
                                        loops.of(stages), runs(shape, views, out.size()), places));
    }

    private static List<DType> types(List<Buffer> buffers) {
        return buffers.stream().map(Buffer::dtype).toList();
    }

    private static StridedRuns runs(Shape shape, List<View> views, int outputs) {
        var all = new ArrayList<>(views);
        for (int i = 0; i < outputs; i++) all.add(View.contiguous(shape));
        return new StridedRuns(shape, all);
    }

    /** The generated loops of an elementwise kernel, if its body and its views allow them. */
    static Optional<FusedStages> stages(
            OperationList line, Shape shape, List<DType> in, List<View> views, List<DType> out) {
        var runs = runs(shape, views, out.size());
        var number = FusedForm.type(line);
        if (runs.length() < SHORTEST || number.isEmpty()) return Optional.empty();
        var accesses = new ArrayList<Optional<Access>>();
        for (int i = 0; i < in.size(); i++) {
            accesses.add(access(number.get(), in.get(i), runs, i, views.get(i).offset()));
        }
        boolean split = runs.count() > 1 && runs.length() % 8 != 0;
        var sinks = new ArrayList<Sink>();
        for (DType stored : out) {
            if (stored == number.get()) sinks.add(Sink.FLOATS);
            else if (stored == DType.BIT && !split) sinks.add(Sink.BITS);
            else return Optional.empty();
        }
        return FusedStages.of(line, accesses, sinks);
    }

    private static Optional<Access> access(
            DType number, DType type, StridedRuns runs, int view, long offset) {
        if (type == number && runs.step(view) == 1) return Optional.of(Access.FLOATS);
        if (type == number && runs.step(view) == 0) return Optional.of(Access.FLOAT);
        boolean whole = runs.step(view) == 1 && offset % 8 == 0 && runs.isAligned(view, 8);
        return type == DType.BIT && whole ? Optional.of(Access.BITS) : Optional.empty();
    }

    public FusedLoops.Entry entry() {
        return entry;
    }

    /**
     * Computes positions {@code from} to {@code to}; both are multiples of eight, except at the
     * end.
     */
    public void range(List<Fused> loops, Tile tile, long from, long to) {
        var starts = new long[bits.length];
        for (long p = from; p < to; ) {
            int within = (int) (p % runs.length());
            int n = (int) Math.min(Math.min(runs.length() - within, most), to - p);
            runs.starts(p / runs.length(), starts);
            for (int v = 0; v < starts.length; v++) starts[v] += within * runs.step(v);
            for (int s = 0; s < steps.length; s++) {
                run(loops.get(s), stages.get(s), memory[s], starts, tile, n);
                for (TileStep step : steps[s]) step.run(tile, p, n);
            }
            p += n;
        }
    }

    private void run(
            Fused loop,
            FusedStages.Stage stage,
            MemorySegment[] segments,
            long[] starts,
            Tile tile,
            int n) {
        var at = new long[segments.length];
        int whole = n / 8 * 8;
        for (int k = 0; k < at.length; k++) at[k] = at(stage, k, starts, 0);
        if (whole > 0) loop.run(segments, at, entry.stages().registers(tile), whole);
        if (whole == n) return;
        for (int k = 0; k < at.length; k++) at[k] = at(stage, k, starts, whole);
        loop.tail(segments, at, entry.stages().registers(tile), n - whole);
    }

    private long at(FusedStages.Stage stage, int k, long[] starts, int skip) {
        int place = stage.places().get(k);
        if (stage.isRegister(k)) return (long) place * REGISTER + skip;
        long element = starts[place] + skip * runs.step(place);
        return bits[place] ? element >> 3 : element * width;
    }
}
