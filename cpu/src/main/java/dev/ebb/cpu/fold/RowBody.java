package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.Fused;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileProgram;
import dev.ebb.cpu.tile.WarmupStep;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A body over the elements of rows whose numbers are in a tile. It computes values into a register,
 * by the steps of a tile program while cold and by a generated loop once that is faster. A run
 * stays within a row.
 */
final class RowBody implements FoldBody {
    /** The shortest rows that have generated loops; a single such row is timed. */
    private static final int SHORTEST_TRIAL = 64;

    private final TileProgram program;
    private final Optional<RowLoops> loops;
    private final long width;

    /** For each number that is read: its register, its start in a tile, and its type. */
    private final List<Given> given = new ArrayList<>();

    private record Given(int register, int from, DType type) {}

    private RowBody(TileProgram program, Optional<RowLoops> loops, RowSlots slots) {
        this.program = program;
        this.loops = loops;
        width = slots.width();
        for (int k = 0; k < slots.types().size(); k++) {
            int register = program.given(slots.operands() + k);
            if (register >= 0) given.add(new Given(register, slots.start(k), slots.types().get(k)));
        }
    }

    static RowBody of(
            Scalar body, Kernel.Rows k, List<Buffer> in, RowSlots slots, FusedLoops loops) {
        var program = program(body, k, in, slots);
        var fused =
                slots.areSingles()
                        ? RowLoops.toHeap(
                                program.line(), k.shape(), in, k.operands(), slots.starts(), loops)
                        : Optional.<RowLoops>empty();
        return new RowBody(program, fused, slots);
    }

    /** The body whose elements go to {@code out}. */
    static RowBody of(
            Scalar body,
            Kernel.Rows k,
            List<Buffer> in,
            RowSlots slots,
            Buffer out,
            FusedLoops loops) {
        var type = body.type(k.types(in.stream().map(Buffer::dtype).toList()));
        var wanted = out.dtype().compute();
        var program = program(type == wanted ? body : body.cast(wanted), k, in, slots);
        var fused =
                slots.areSingles()
                        ? RowLoops.toMemory(
                                program.line(),
                                k.shape(),
                                in,
                                k.operands(),
                                slots.starts(),
                                out,
                                loops)
                        : Optional.<RowLoops>empty();
        return new RowBody(program, fused, slots);
    }

    private static TileProgram program(
            Scalar body, Kernel.Rows k, List<Buffer> in, RowSlots slots) {
        var sources = new ArrayList<TileProgram.Source>();
        for (int i = 0; i < in.size(); i++)
            sources.add(new TileProgram.Source.Memory(in.get(i), k.operands().get(i)));
        for (DType type : slots.types()) sources.add(new TileProgram.Source.Given(type));
        return new TileProgram(List.of(body), k.shape(), sources, true);
    }

    OperationList line() {
        return program.line();
    }

    Optional<RowLoops> loops() {
        return loops;
    }

    @Override
    public void expect(long elements) {
        loops.ifPresent(l -> l.entry().expect(elements));
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
        var fused = loops.orElse(null);
        var made = fused == null ? null : fused.entry().loops();
        if (fused == null || made == null) {
            plain(tile, position, n);
        } else if (fused.entry().state().isHot()) {
            fused.run(made, tile, position, n, row(tile, position), result());
        } else {
            warm(tile, fused, made, position, n);
        }
    }

    int row(Tile tile, long position) {
        return (int) (position / width - tile.firstRow);
    }

    /** Computes by the steps of the program, over several rows if necessary. */
    void plain(Tile tile, long position, int n) {
        int row = row(tile, position);
        for (int at = 0; at < n; row++) {
            int end = (int) Math.min(n, at + width - (position + at) % width);
            for (var g : given) give(tile, g, row, at, end);
            at = end;
        }
        program.run(tile, position, n);
    }

    private static void give(Tile tile, Given g, int row, int at, int end) {
        int from = g.register + at;
        int to = g.register + end;
        if (g.type == DType.F32) Arrays.fill(tile.f32, from, to, tile.f32[g.from + row]);
        else Arrays.fill(tile.f64, from, to, tile.f64[g.from + row]);
    }

    /** How many rows the program may compute at once. */
    int rows() {
        return (int) Math.max(1, program.length() / Math.max(1, width));
    }

    /** Whether the program computes everything. */
    boolean isPlain() {
        return loops.isEmpty() || loops.get().entry().loops() == null;
    }

    /**
     * The loop computes a sample and the program everything; occasionally the loop computes as
     * much, timed.
     */
    private void warm(Tile tile, RowLoops fused, List<Fused> made, long position, int n) {
        var state = fused.entry().state();
        boolean trial = n >= SHORTEST_TRIAL && state.isTimeToMeasure();
        int row = row(tile, position);
        int some = trial ? n : Math.min(n, WarmupStep.SAMPLE);
        long start = System.nanoTime();
        fused.run(made, tile, position, some, row, result());
        long turn = System.nanoTime();
        plain(tile, position, n);
        double all = System.nanoTime() - turn;
        state.note(trial, (double) (turn - start) / some, all / n);
    }
}
