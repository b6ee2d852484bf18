package dev.ebb.cpu;

import dev.ebb.cpu.attend.AttendBackward;
import dev.ebb.cpu.attend.AttendForward;
import dev.ebb.cpu.code.MapKernel;
import dev.ebb.cpu.fold.FoldKernel;
import dev.ebb.cpu.move.CumulateKernel;
import dev.ebb.cpu.move.ScatterKernel;
import dev.ebb.cpu.product.Contraction;
import dev.ebb.cpu.product.ConvolveKernel;
import dev.ebb.cpu.product.F32Panels;
import dev.ebb.cpu.product.F64Panels;
import dev.ebb.cpu.sequence.SequenceCompiler;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.ProgramScratch;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The scratch memory that each kernel needs for a worker, by the same choice of kernel class as for
 * binding.
 */
final class KernelScratchSizes {
    /** The maximum over all kernels, for each array. */
    static final KernelScratch MOST = most();

    private KernelScratchSizes() {}

    private static KernelScratch most() {
        int block = Tile.REGISTER;
        return F32Panels.scratch(1, F32Panels.stored())
                .and(ScratchArray.F64_PANEL, F64Panels.stored())
                .and(ScratchArray.F32, Tile.AFTER_LANES + Tile.SINGLES)
                .and(ScratchArray.I32, Tile.SINGLES)
                .and(ScratchArray.F64, Tile.NUMBERS + Tile.DOUBLES)
                .and(ScratchArray.I64, Tile.DOUBLES)
                .and(ScratchArray.F32_BLOCK, block)
                .and(ScratchArray.F64_BLOCK, block)
                .and(ScratchArray.I64_BLOCK, block)
                .and(ScratchArray.F32_SUMS, block)
                .and(ScratchArray.F64_SUMS, block)
                .and(ScratchArray.I64_SUMS, block)
                .and(ScratchArray.HALVES, block)
                .and(ScratchArray.BYTES, block)
                .and(ScratchArray.WALKS, 1);
    }

    static KernelScratch of(Node node) {
        var in = node.inputTypes().stream().map(Type::dtype).toList();
        var out = node.outputTypes().stream().map(Type::dtype).toList();
        return switch (node.kernel()) {
            case Kernel.Map k -> MapKernel.scratch(k, in, out.subList(0, k.bodies().size()));
            case Kernel.Fold k -> FoldKernel.scratch(k, in);
            case Kernel.Rows k -> ElementwiseKernels.scratch(k, in, out);
            case Kernel.Contract k ->
                    Contraction.fits(in.getFirst(), out.getFirst())
                            ? Contraction.scratch(k, in, out.getFirst())
                            : KernelScratch.NOTHING;
            case DecodingContract k -> Contraction.scratch(k, in, out.getFirst());
            case Kernel.Convolve k -> ConvolveKernel.scratch(k, out.getFirst());
            case Kernel.Attend k ->
                    in.getFirst().compute() == DType.F32 && AttendForward.fits(k.heads())
                            ? AttendForward.scratch(k.heads())
                            : KernelScratch.NOTHING;
            case Kernel.AttendGrad k ->
                    in.getFirst() == DType.F32 && AttendBackward.fits(k.heads())
                            ? AttendBackward.scratch(k.heads())
                            : KernelScratch.NOTHING;
            case Kernel.Scatter k ->
                    k.isUpdate() ? KernelScratch.NOTHING : ScatterKernel.scratch(k, out.getFirst());
            case Kernel.Cumulate k -> CumulateKernel.scratch(k, out.getFirst());
            case Kernel.Assemble _, Kernel.Cut _, Kernel.Gather _, Kernel.Sort _ ->
                    KernelScratch.NOTHING;
            case Kernel.Library _, Control _ -> KernelScratch.NOTHING;
        };
    }

    /** The scratch memory of all nodes, and of those in the bodies of loops and branches. */
    static ProgramScratch all(Collection<Node> nodes) {
        var found = new LinkedHashSet<KernelScratch>();
        collect(nodes, found);
        found.remove(KernelScratch.NOTHING);
        return new ProgramScratch(found);
    }

    private static void collect(Collection<Node> nodes, Set<KernelScratch> found) {
        for (Node node : nodes) {
            if (!(node.kernel() instanceof Control control)) {
                found.add(of(node));
                found.add(SequenceCompiler.scratch(node));
                continue;
            }
            var bodies =
                    control instanceof Control.Scan k
                            ? k.withoutInverse().bodies()
                            : control.bodies();
            for (Graph body : bodies) {
                collect(body.nodes(), found);
                found.add(SequenceCompiler.scratch(body));
                // a carry may be copied to the buffer where the next iteration reads it
                for (Value carry : body.params()) found.add(copy(carry.type()));
            }
        }
    }

    private static KernelScratch copy(Type type) {
        var view = View.contiguous(type.shape());
        var map = Kernel.Map.of(type.shape(), List.of(view), Scalar.arg(0));
        return MapKernel.scratch(map, List.of(type.dtype()), List.of(type.dtype()));
    }
}
