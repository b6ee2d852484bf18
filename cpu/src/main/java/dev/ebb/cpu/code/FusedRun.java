package dev.ebb.cpu.code;

import dev.ebb.cpu.code.FusedForm.Access;
import dev.ebb.cpu.code.FusedForm.Sink;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.StridedRuns;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A body as one generated loop that has one argument, or its result, on the heap: the values that a
 * fold is about to combine, or the sums of a contraction. All other operands are in memory, of the
 * same type, and either consecutive or repeated along runs.
 */
public final class FusedRun {
    /** In shorter runs, calls cost more than the loop saves. */
    private static final int SHORTEST = 64;

    private final FusedLoops.Entry entry;
    private final StridedRuns runs;
    private final MemorySegment[] memory;
    private final boolean[] onHeap;
    private final int[] place;
    private final int views;
    private final long width;

    private FusedRun(FusedLoops.Entry entry, StridedRuns runs, List<Optional<Buffer>> places) {
        this.entry = entry;
        this.runs = runs;
        views = places.size();
        width = entry.stages().type().bytes(1);
        var stage = entry.stages().stages().getFirst();
        var any = places.stream().flatMap(Optional::stream).findFirst().orElseThrow();
        memory = new MemorySegment[stage.places().size()];
        onHeap = new boolean[memory.length];
        place = new int[memory.length];
        for (int k = 0; k < memory.length; k++) {
            place[k] = stage.places().get(k);
            // an operand on the heap needs no segment, but the loop expects one of the same kind
            memory[k] = places.get(place[k]).orElse(any).segment();
            onHeap[k] = places.get(place[k]).isEmpty();
        }
    }

    /** The body of a fold, whose values go to the heap. */
    public static Optional<FusedRun> toHeap(
            OperationList line, Shape shape, List<Buffer> in, List<View> views, FusedLoops loops) {
        // a body that only reads its argument is copied as fast
        if (line.operations().size() == 1) return Optional.empty();
        var places = new ArrayList<>(in.stream().map(Optional::of).toList());
        places.add(Optional.empty());
        var all = new ArrayList<>(views);
        all.add(View.contiguous(shape));
        return of(line, shape, places, all, loops);
    }

    /** The epilogue of sums on the heap, argument 0; its values go to {@code out} in order. */
    public static Optional<FusedRun> fromHeap(
            OperationList line,
            Shape shape,
            List<Buffer> extras,
            List<View> views,
            Buffer out,
            FusedLoops loops) {
        var places = new ArrayList<Optional<Buffer>>(List.of(Optional.empty()));
        extras.forEach(b -> places.add(Optional.of(b)));
        places.add(Optional.of(out));
        var all = new ArrayList<>(List.of(View.contiguous(shape)));
        all.addAll(views);
        all.add(View.contiguous(shape));
        return of(line, shape, places, all, loops);
    }

    private static boolean isOf(Buffer buffer, OperationList line) {
        return FusedForm.type(line).filter(buffer.dtype()::equals).isPresent();
    }

    private static Optional<FusedRun> of(
            OperationList line,
            Shape shape,
            List<Optional<Buffer>> places,
            List<View> views,
            FusedLoops loops) {
        if (places.stream().flatMap(Optional::stream).anyMatch(b -> !isOf(b, line)))
            return Optional.empty();
        if (places.stream().allMatch(Optional::isEmpty)) return Optional.empty();
        if (line.operations().get(line.results().getFirst()).form() instanceof Scalar.Lit)
            return Optional.empty();
        var runs = new StridedRuns(shape, views);
        if (runs.length() < SHORTEST) return Optional.empty();
        var accesses = new ArrayList<Optional<Access>>();
        for (int i = 0; i + 1 < places.size(); i++) {
            boolean repeated = runs.step(i) == 0;
            boolean consecutive = runs.step(i) == 1;
            if (places.get(i).isEmpty()) accesses.add(Optional.of(Access.REGISTER));
            else if (repeated) accesses.add(Optional.of(Access.FLOAT));
            else accesses.add(consecutive ? Optional.of(Access.FLOATS) : Optional.empty());
        }
        var sink = places.getLast().isEmpty() ? Sink.REGISTER : Sink.FLOATS;
        return FusedStages.of(line, accesses, List.of(sink))
                .filter(stages -> !stages.usesRegisters())
                .map(stages -> new FusedRun(loops.of(stages), runs, places));
    }

    public FusedLoops.Entry entry() {
        return entry;
    }

    /** The registers of a tile that hold its numbers. */
    public Object registers(Tile tile) {
        return entry.stages().registers(tile);
    }

    /**
     * Computes {@code n} positions from {@code position} on; the operand on the heap starts at
     * {@code at}.
     */
    public void run(Fused loop, Object heap, int at, long position, int n) {
        var starts = new long[views];
        for (int done = 0; done < n; ) {
            long p = position + done;
            int within = (int) (p % runs.length());
            int some = Math.min(runs.length() - within, n - done);
            runs.starts(p / runs.length(), starts);
            int whole = some / 8 * 8;
            if (whole > 0) loop.run(memory, begin(starts, within, at + done), heap, whole);
            if (whole < some) {
                loop.tail(
                        memory,
                        begin(starts, within + whole, at + done + whole),
                        heap,
                        some - whole);
            }
            done += some;
        }
    }

    private long[] begin(long[] starts, int within, int heap) {
        var at = new long[place.length];
        for (int k = 0; k < at.length; k++) {
            at[k] = onHeap[k] ? heap : (starts[place[k]] + within * runs.step(place[k])) * width;
        }
        return at;
    }
}
