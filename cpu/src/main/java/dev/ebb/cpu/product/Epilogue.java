package dev.ebb.cpu.product;

import dev.ebb.cpu.code.Fused;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.FusedRun;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.StoredType;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileForm;
import dev.ebb.cpu.tile.TileProgram;
import dev.ebb.cpu.tile.TileStore;
import dev.ebb.cpu.tile.WarmupStep;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Applies the epilogue of a contraction to its sums and stores the results, for runs of consecutive
 * elements. An epilogue is created when a kernel is bound. Each part of the kernel calls {@link
 * #begin} once with its worker's tile, then {@code rows} for rows of sums, of any length; for a BIT
 * result, rows must begin at a multiple of eight.
 */
final class Epilogue {
    /** The number of elements from which on timing is meaningful. */
    private static final int SHORTEST_TIMED = 128;

    private final boolean plain;
    private final TileProgram program;
    private final TileStore store;
    private final int sums;
    private final DType type;
    private final Optional<FusedRun> fused;

    /**
     * @param body the epilogue; argument 0 is the sum, arguments from 1 on are the extras
     * @param type the type of the sums: F32 or F64
     * @param shape the shape over which views and positions are defined: batch + [m, n]
     */
    Epilogue(
            Scalar body,
            DType type,
            Shape shape,
            List<Buffer> extras,
            List<View> views,
            Buffer out,
            FusedLoops loops) {
        this.type = type;
        plain = isPlain(body, type, out.dtype());
        var sources = new ArrayList<TileProgram.Source>();
        sources.add(new TileProgram.Source.Given(type));
        for (int i = 0; i < extras.size(); i++) {
            sources.add(new TileProgram.Source.Memory(extras.get(i), views.get(i)));
        }
        var types = sources.stream().map(TileProgram.Source::dtype).toList();
        program = new TileProgram(List.of(StoredType.as(body, types, out.dtype())), shape, sources);
        sums = program.given(0);
        store = new TileStore(out, program.result(0));
        fused =
                plain || type != DType.F32
                        ? Optional.empty()
                        : FusedRun.fromHeap(program.line(), shape, extras, views, out, loops);
    }

    private static boolean isPlain(Scalar body, DType type, DType out) {
        return body.equals(Scalar.arg(0)) && out == type;
    }

    /** The scratch memory that an epilogue needs for each worker. */
    static KernelScratch scratch(
            Scalar body, DType type, Shape shape, List<DType> extras, List<View> views, DType out) {
        if (isPlain(body, type, out)) return KernelScratch.NOTHING;
        var args = new ArrayList<TileForm.Arg>(List.of(new TileForm.Arg.Given(type)));
        for (int i = 0; i < extras.size(); i++)
            args.add(new TileForm.Arg.Read(extras.get(i), views.get(i)));
        var types = args.stream().map(TileForm.Arg::dtype).toList();
        var form = TileForm.of(List.of(StoredType.as(body, types, out)), shape, args);
        return form.scratch().moving(out, form.length());
    }

    /** Whether the epilogue is the identity: a contraction may then write its sums directly. */
    boolean isPlain() {
        return plain;
    }

    /** Announces the number of elements about to be computed. */
    void expect(long elements) {
        fused.ifPresent(f -> f.entry().expect(elements));
    }

    void begin(Tile tile) {
        program.begin(tile, program.length());
    }

    /**
     * The results of {@code rows} rows of {@code n} positions: the first from {@code position} on,
     * with its sums from {@code from[at]} on; each further row has its results {@code step} and its
     * sums {@code apart} after those of the row before.
     */
    void rows(
            Tile tile, float[] from, int at, int apart, long position, long step, int rows, int n) {
        if (type != DType.F32)
            throw new IllegalArgumentException("f32 sums for an epilogue of " + type);
        var run = fused.orElse(null);
        var loops = run == null ? null : run.entry().loops();
        if (run == null || loops == null) {
            for (int i = 0; i < rows; i++)
                steps(tile, from, at + i * apart, position + i * step, n);
        } else if (run.entry().state().isHot()) {
            var loop = loops.getFirst();
            for (int i = 0; i < rows; i++)
                run.run(loop, from, at + i * apart, position + i * step, n);
        } else {
            warm(tile, run, loops.getFirst(), from, at, apart, position, step, rows, n);
        }
    }

    /**
     * Computes a sample of each row by the generated loop, the rest step by step; now and then
     * times half of the rows, or half of a single one, by either. Nothing is computed twice, as the
     * result may be written over an operand.
     */
    private void warm(
            Tile tile,
            FusedRun run,
            Fused loop,
            float[] from,
            int at,
            int apart,
            long position,
            long step,
            int rows,
            int n) {
        var state = run.entry().state();
        boolean trial = rows * n >= SHORTEST_TIMED && state.isTimeToMeasure();
        int sample = rows > 1 ? 0 : n / 16 * 8;
        int some = trial ? sample : Math.min(WarmupStep.SAMPLE, n / 8 * 8);
        int whole = trial ? rows / 2 : 0;
        long start = System.nanoTime();
        for (int i = 0; i < rows; i++)
            run.run(loop, from, at + i * apart, position + i * step, i < whole ? n : some);
        long turn = System.nanoTime();
        for (int i = whole; i < rows; i++)
            steps(tile, from, at + i * apart + some, position + i * step + some, n - some);
        double rest = System.nanoTime() - turn;
        int vectors = whole * n + (rows - whole) * some;
        int others = (rows - whole) * (n - some);
        state.note(
                trial, (double) (turn - start) / Math.max(1, vectors), rest / Math.max(1, others));
    }

    private void steps(Tile tile, float[] from, int at, long position, int n) {
        for (int done = 0; done < n; done += program.length()) {
            int some = Math.min(program.length(), n - done);
            if (sums >= 0) System.arraycopy(from, at + done, tile.f32, sums, some);
            program.run(tile, position + done, some);
            store.run(tile, position + done, some);
        }
    }

    /** As above, of sums in F64. */
    void rows(
            Tile tile,
            double[] from,
            int at,
            int apart,
            long position,
            long step,
            int rows,
            int n) {
        if (type != DType.F64)
            throw new IllegalArgumentException("f64 sums for an epilogue of " + type);
        for (int i = 0; i < rows; i++) steps(tile, from, at + i * apart, position + i * step, n);
    }

    private void steps(Tile tile, double[] from, int at, long position, int n) {
        for (int done = 0; done < n; done += program.length()) {
            int some = Math.min(program.length(), n - done);
            if (sums >= 0) System.arraycopy(from, at + done, tile.f64, sums, some);
            program.run(tile, position + done, some);
            store.run(tile, position + done, some);
        }
    }
}
