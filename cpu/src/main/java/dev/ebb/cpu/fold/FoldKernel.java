package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.FusedRun;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.TileForm;
import dev.ebb.cpu.tile.TileProgram;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A reduction of an expression, in one or two passes. If the innermost axis is folded, rows are
 * folded first; other folded axes follow in a second pass by columns, over the rows' values in the
 * workspace.
 */
public final class FoldKernel {
    private FoldKernel() {}

    /** The kernel; its outputs are computed one after the other. */
    public static Runnable of(
            Kernel.Fold k,
            List<Buffer> in,
            List<Buffer> out,
            Buffer workspace,
            WorkerGroup workers,
            Tiles tiles,
            FusedLoops loops) {
        var each = new ArrayList<Runnable>();
        for (int j = 0; j < k.bodies().size(); j++)
            each.add(of(k.each().get(j), in, out.get(j), workspace, workers, tiles, loops));
        return each.size() == 1 ? each.getFirst() : () -> each.forEach(Runnable::run);
    }

    private static Runnable of(
            Kernel.Fold k,
            List<Buffer> in,
            Buffer out,
            Buffer workspace,
            WorkerGroup workers,
            Tiles tiles,
            FusedLoops loops) {
        var type = k.body().type(in.stream().map(Buffer::dtype).toList());
        var combiner = Combiner.of(k.combine(), type);
        if (k.shape().size() == 0) return () -> empty(combiner, out);
        var sources = new ArrayList<TileProgram.Source>();
        for (int i = 0; i < in.size(); i++) {
            sources.add(new TileProgram.Source.Memory(in.get(i), k.operands().get(i)));
        }
        var program = new TileProgram(List.of(k.body()), k.shape(), sources);
        var fused = FusedRun.toHeap(program.line(), k.shape(), in, k.operands(), loops);
        var body = new PlainBody(program, fused);
        var groups = AxisGroups.of(k.shape(), k.axes());
        var memory = workspace.segment();
        if (!groups.endsFolded()) {
            return new ColumnFold(body, combiner, groups, out, memory, workers, tiles);
        }
        var rest = groups.withoutLast();
        long rows = rest.size();
        long values = valuesBytes(rest, type);
        var partials = memory.asSlice(values);
        if (values == 0) {
            return new RowFold(
                    body, combiner, rows, groups.lastSize(), out, partials, workers, tiles);
        }
        var between = new Buffer(wide(type), rows, memory);
        var first =
                new RowFold(
                        body, combiner, rows, groups.lastSize(), between, partials, workers, tiles);
        var second = new ColumnFold(again(between), combiner, rest, out, partials, workers, tiles);
        return () -> {
            first.run();
            second.run();
        };
    }

    /** Whether all elements are folded into one, as a single row. */
    public static boolean isOneRow(Kernel.Fold k) {
        var groups = AxisGroups.of(k.shape(), k.axes());
        return k.shape().size() > 1 && groups.endsFolded() && groups.all().size() == 1;
    }

    /**
     * A fold of one row of up to {@link Workers#GRAIN} elements, whose values {@code body}
     * computes; it has the bits of the kernel.
     */
    public static Runnable oneRow(
            Kernel.Fold k,
            FoldBody body,
            DType type,
            Buffer out,
            WorkerGroup workers,
            Tiles tiles) {
        return new RowFold(
                body,
                Combiner.of(k.combine(), type),
                1,
                k.shape().size(),
                out,
                MemorySegment.NULL,
                workers,
                tiles);
    }

    private static void empty(Combiner combiner, Buffer out) {
        for (long i = 0; i < out.size(); i++) combiner.set(out, i, combiner.identity());
    }

    /** The body of the second pass, which reads the values of rows. */
    private static FoldBody again(Buffer rows) {
        var line = new View(0, List.of(1L));
        // positions count rows, which may be many: one axis whose size is never used
        var shape = Shape.of(lineLength(rows.size()));
        var source = new TileProgram.Source.Memory(rows, line);
        var program = new TileProgram(List.of(Scalar.arg(0)), shape, List.of(source));
        return new PlainBody(program, Optional.empty());
    }

    private static int lineLength(long rows) {
        return (int) Math.min(rows, Integer.MAX_VALUE);
    }

    /** The bytes of the rows' values, which precede the partial results. */
    private static long valuesBytes(AxisGroups rest, DType type) {
        boolean two = rest.all().stream().anyMatch(AxisGroups.Group::folded);
        return two ? Math.ceilDiv(wide(type).bytes(rest.size()), 64) * 64 : 0;
    }

    /** The type of the result: counts of booleans are integers. */
    private static DType wide(DType type) {
        return type == DType.BOOL ? DType.I32 : type;
    }

    /** Where a fold may be split along {@code axis}: see {@link Node.Cuts}. */
    public static int cutEvery(Kernel.Fold k, int axis) {
        return k.axes().contains(axis)
                ? ColumnFold.cutEvery(k.shape(), k.axes(), axis)
                : Node.Cuts.ANYWHERE;
    }

    /** The memory that this kernel needs for each worker. */
    public static KernelScratch scratch(Kernel.Fold k, List<DType> in) {
        return k.each().stream()
                .map(one -> needOfOne(one, in))
                .reduce(KernelScratch::and)
                .orElseThrow();
    }

    private static KernelScratch needOfOne(Kernel.Fold k, List<DType> in) {
        if (k.shape().size() == 0) return KernelScratch.NOTHING;
        var args = new ArrayList<TileForm.Arg>();
        for (int i = 0; i < in.size(); i++)
            args.add(new TileForm.Arg.Read(in.get(i), k.operands().get(i)));
        var form = TileForm.of(List.of(k.body()), k.shape(), args);
        var type = k.body().type(in);
        var combiner = Combiner.of(k.combine(), type);
        var groups = AxisGroups.of(k.shape(), k.axes());
        if (!groups.endsFolded())
            return ColumnFold.scratch(groups, form.length(), combiner).and(form.scratch());
        var rest = groups.withoutLast();
        var rows = RowFold.scratch(rest.size(), groups.lastSize(), form.length(), combiner);
        var scratch = rows.and(form.scratch());
        if (valuesBytes(rest, type) == 0) return scratch;
        var line = Shape.of(lineLength(rest.size()));
        var read = new TileForm.Arg.Read(wide(type), new View(0, List.of(1L)));
        var again = TileForm.of(List.of(Scalar.arg(0)), line, List.of(read));
        var columns = ColumnFold.scratch(rest, again.length(), combiner).and(again.scratch());
        return KernelScratch.shared(Math.max(scratch.workers(), columns.workers()))
                .and(scratch)
                .and(columns);
    }

    public static long workspaceBytes(Kernel.Fold k, List<DType> in) {
        if (k.shape().size() == 0) return 0;
        var type = k.bodies().getFirst().type(in);
        var combiner = Combiner.of(k.combine(), type);
        var groups = AxisGroups.of(k.shape(), k.axes());
        if (!groups.endsFolded()) return ColumnFold.workspaceBytes(groups, combiner);
        var rest = groups.withoutLast();
        long partials = RowFold.workspaceBytes(rest.size(), groups.lastSize());
        long values = valuesBytes(rest, type);
        if (values > 0) partials = Math.max(partials, ColumnFold.workspaceBytes(rest, combiner));
        return values + partials;
    }
}
