package dev.ebb.cpu;

import dev.ebb.cpu.FusedForm.Access;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** An elementwise kernel bound to a generated loop: which runs of memory it is called on. */
final class FusedMap {
    /** Shorter runs cost more in calls than the loop saves. */
    private static final int SHORTEST = 64;

    private final FusedLoops.Entry entry;
    private final Runs runs;
    private final MemorySegment[] memory;
    private final boolean[] bits;

    private FusedMap(FusedLoops.Entry entry, Runs runs, List<Buffer> places) {
        this.entry = entry;
        this.runs = runs;
        memory = places.stream().map(Buffer::segment).toArray(MemorySegment[]::new);
        bits = new boolean[memory.length];
        for (int i = 0; i < bits.length; i++) bits[i] = places.get(i).dtype() == DType.BIT;
    }

    /** The kernel as a generated loop, if its body and its views allow one. */
    static Optional<FusedMap> of(
            Line line,
            Shape shape,
            List<Buffer> in,
            List<View> views,
            List<Buffer> out,
            FusedLoops loops) {
        var all = new ArrayList<>(views);
        for (var _ : out) all.add(View.contiguous(shape));
        var runs = new Runs(shape, all);
        if (runs.length() < SHORTEST) return Optional.empty();
        var accesses = new ArrayList<Access>();
        for (int i = 0; i < in.size(); i++) {
            accesses.add(access(in.get(i).dtype(), runs, i, views.get(i).offset()));
        }
        boolean split = runs.count() > 1 && runs.length() % 8 != 0;
        if (split && out.stream().anyMatch(b -> b.dtype() == DType.BIT)) return Optional.empty();
        var types = out.stream().map(Buffer::dtype).toList();
        var places = Stream.concat(in.stream(), out.stream()).toList();
        return FusedForm.of(line, accesses, types)
                .map(form -> new FusedMap(loops.of(form), runs, places));
    }

    private static Access access(DType type, Runs runs, int view, long offset) {
        if (type == DType.F32 && runs.step(view) == 1) return Access.FLOATS;
        if (type == DType.F32 && runs.step(view) == 0) return Access.FLOAT;
        boolean whole = runs.step(view) == 1 && offset % 8 == 0 && runs.isAligned(view, 8);
        return type == DType.BIT && whole ? Access.BITS : Access.UNUSED;
    }

    FusedLoops.Entry entry() {
        return entry;
    }

    /**
     * Computes positions {@code from} to {@code to} with {@code loop}; both but the last are
     * multiples of eight.
     */
    void range(Fused loop, long from, long to) {
        var at = new long[memory.length];
        for (long p = from; p < to; ) {
            int within = (int) (p % runs.length());
            int n = (int) Math.min(runs.length() - within, to - p);
            runs.starts(p / runs.length(), at);
            for (int v = 0; v < at.length; v++) at[v] = place(v, at[v] + within * runs.step(v));
            int whole = n / 8 * 8;
            if (whole > 0) loop.run(memory, at, whole);
            if (whole < n) {
                for (int v = 0; v < at.length; v++) at[v] += place(v, whole * runs.step(v));
                loop.tail(memory, at, n - whole);
            }
            p += n;
        }
    }

    private long place(int v, long element) {
        return bits[v] ? element >> 3 : element * 4;
    }
}
