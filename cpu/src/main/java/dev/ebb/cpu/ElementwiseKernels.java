package dev.ebb.cpu;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.MapKernel;
import dev.ebb.cpu.fold.FoldKernel;
import dev.ebb.cpu.fold.RowsKernel;
import dev.ebb.cpu.move.CumulateKernel;
import dev.ebb.cpu.move.MoveKernels;
import dev.ebb.cpu.move.ScatterKernel;
import dev.ebb.cpu.move.ScatterUpdate;
import dev.ebb.cpu.move.SortKernel;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;

import java.util.ArrayList;
import java.util.List;

/**
 * The kernels that are loops over elements: maps, folds, moves and running sums, with the tiles
 * they share.
 */
record ElementwiseKernels(WorkerGroup workers, Tiles tiles, FusedLoops loops) {
    Runnable map(Kernel.Map k, List<Buffer> in, List<Buffer> out) {
        return new MapKernel(k, in, out, workers, tiles, loops);
    }

    Runnable fold(Kernel.Fold k, List<Buffer> in, List<Buffer> out, Buffer workspace) {
        return FoldKernel.of(k, in, out, workspace, workers, tiles, loops);
    }

    /** Computes several results of rows one after the other. */
    Runnable rows(Kernel.Rows k, List<Buffer> in, List<Buffer> out, Buffer workspace) {
        if (k.results().size() == 1)
            return RowsKernel.of(k, in, out.getFirst(), workspace, workers, tiles, loops);
        var each = new ArrayList<Runnable>();
        for (var part : RowParts.split(k)) {
            var to = out.subList(part.output(), part.output() + 1);
            each.add(
                    switch (part.kernel()) {
                        case Kernel.Map one -> map(one, in, to);
                        case Kernel.Fold one -> fold(one, in, to, workspace);
                        case Kernel.Rows one -> rows(one, in, to, workspace);
                        default -> throw unknown(part);
                    });
        }
        return () -> each.forEach(Runnable::run);
    }

    private static IllegalStateException unknown(RowParts.OneResult part) {
        return new IllegalStateException("not a result of rows: " + part.kernel());
    }

    /** The scratch memory that a rows kernel needs for each worker. */
    static KernelScratch scratch(Kernel.Rows k, List<DType> in, List<DType> out) {
        if (k.results().size() == 1) return RowsKernel.scratch(k, in, out.getFirst());
        return RowParts.split(k).stream()
                .map(part -> scratch(part, in, out.subList(part.output(), part.output() + 1)))
                .reduce(KernelScratch::and)
                .orElseThrow();
    }

    private static KernelScratch scratch(RowParts.OneResult part, List<DType> in, List<DType> out) {
        return switch (part.kernel()) {
            case Kernel.Map one -> MapKernel.scratch(one, in, out);
            case Kernel.Fold one -> FoldKernel.scratch(one, in);
            case Kernel.Rows one -> RowsKernel.scratch(one, in, out.getFirst());
            default -> throw unknown(part);
        };
    }

    /** The bytes of workspace for the partial results of a fold over columns. */
    static long workspaceBytes(Kernel.Rows k, List<DType> in) {
        if (k.results().size() == 1) return RowsKernel.workspaceBytes(k, in);
        long most = 0;
        for (var part : RowParts.split(k)) {
            most =
                    Math.max(
                            most,
                            switch (part.kernel()) {
                                case Kernel.Map _ -> 0;
                                case Kernel.Fold one -> workspaceBytes(one, in);
                                case Kernel.Rows one -> RowsKernel.workspaceBytes(one, in);
                                default -> throw unknown(part);
                            });
        }
        return most;
    }

    /** The bytes of workspace for the partial results of a fold of operands of these types. */
    static long workspaceBytes(Kernel.Fold k, List<DType> in) {
        return FoldKernel.workspaceBytes(k, in);
    }

    Runnable assemble(Kernel.Assemble k, List<Buffer> in, Buffer out) {
        return MoveKernels.assemble(k, in, out, workers);
    }

    Runnable cut(Kernel.Cut k, Buffer in, List<Buffer> out) {
        return MoveKernels.cut(k, in, out, workers);
    }

    Runnable gather(Kernel.Gather k, Buffer data, Buffer index, Buffer out) {
        return MoveKernels.gather(k, data, index, out, workers);
    }

    Runnable sort(Kernel.Sort k, Buffer in, Buffer out, Buffer workspace) {
        return new SortKernel(k, in, out, workspace, workers);
    }

    Runnable scatter(Kernel.Scatter k, List<Buffer> in, Buffer out, Buffer workspace) {
        return k.isUpdate()
                ? new ScatterUpdate(k, in.get(0), in.get(1), in.get(2), out, workers)
                : new ScatterKernel(k, in.get(0), in.get(1), out, workspace, workers, tiles);
    }

    Runnable cumulate(Kernel.Cumulate k, List<Buffer> in, Buffer out) {
        return new CumulateKernel(k, in, out, workers, tiles);
    }
}
