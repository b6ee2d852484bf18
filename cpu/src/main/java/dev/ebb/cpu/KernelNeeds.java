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
import dev.ebb.cpu.straight.StraightPrograms;
import dev.ebb.cpu.tile.Bank;
import dev.ebb.cpu.tile.Need;
import dev.ebb.cpu.tile.Needs;
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

/** What each kernel needs of a worker: by the same choice of kernel as when it is bound. */
final class KernelNeeds {
    /** No kernel needs more of a worker. */
    static final Need MOST = most();

    private KernelNeeds() {}

    private static Need most() {
        int block = Tile.REGISTER;
        return F32Panels.need(1, F32Panels.stored())
                .and(Bank.F64_PANEL, F64Panels.stored())
                .and(Bank.F32, Tile.AFTER_LANES + Tile.SINGLES)
                .and(Bank.I32, Tile.SINGLES)
                .and(Bank.F64, Tile.NUMBERS + Tile.DOUBLES)
                .and(Bank.I64, Tile.DOUBLES)
                .and(Bank.F32_BLOCK, block)
                .and(Bank.F64_BLOCK, block)
                .and(Bank.I64_BLOCK, block)
                .and(Bank.F32_SUMS, block)
                .and(Bank.F64_SUMS, block)
                .and(Bank.I64_SUMS, block)
                .and(Bank.HALVES, block)
                .and(Bank.BYTES, block)
                .and(Bank.WALKS, 1);
    }

    static Need of(Node node) {
        var in = node.inputTypes().stream().map(Type::dtype).toList();
        var out = node.outputTypes().stream().map(Type::dtype).toList();
        return switch (node.kernel()) {
            case Kernel.Map k -> MapKernel.need(k, in, out.subList(0, k.bodies().size()));
            case Kernel.Fold k -> FoldKernel.need(k, in);
            case Kernel.Rows k -> ElementwiseKernels.need(k, in, out);
            case Kernel.Contract k ->
                    Contraction.fits(in.getFirst(), out.getFirst())
                            ? Contraction.need(k, in, out.getFirst())
                            : Need.NOTHING;
            case DecodingContract k -> Contraction.need(k, in, out.getFirst());
            case Kernel.Convolve k -> ConvolveKernel.need(k, out.getFirst());
            case Kernel.Attend k ->
                    in.getFirst().compute() == DType.F32 && AttendForward.fits(k.heads())
                            ? AttendForward.need(k.heads())
                            : Need.NOTHING;
            case Kernel.AttendGrad k ->
                    in.getFirst() == DType.F32 && AttendBackward.fits(k.heads())
                            ? AttendBackward.need(k.heads())
                            : Need.NOTHING;
            case Kernel.Scatter k ->
                    k.isUpdate() ? Need.NOTHING : ScatterKernel.need(k, out.getFirst());
            case Kernel.Cumulate k -> CumulateKernel.need(k, out.getFirst());
            case Kernel.Assemble _, Kernel.Cut _, Kernel.Gather _, Kernel.Sort _ -> Need.NOTHING;
            case Kernel.Library _, Control _ -> Need.NOTHING;
        };
    }

    /** Of all nodes, and of those in the bodies of loops and branches. */
    static Needs all(Collection<Node> nodes) {
        var found = new LinkedHashSet<Need>();
        collect(nodes, found);
        found.remove(Need.NOTHING);
        return new Needs(found);
    }

    private static void collect(Collection<Node> nodes, Set<Need> found) {
        for (Node node : nodes) {
            if (!(node.kernel() instanceof Control control)) {
                found.add(of(node));
                found.add(StraightPrograms.need(node));
                continue;
            }
            var bodies =
                    control instanceof Control.Scan k
                            ? k.withoutInverse().bodies()
                            : control.bodies();
            for (Graph body : bodies) {
                collect(body.nodes(), found);
                found.add(StraightPrograms.need(body));
                // what is carried may have to be copied to where the next round looks for it
                for (Value carry : body.params()) found.add(copy(carry.type()));
            }
        }
    }

    private static Need copy(Type type) {
        var view = View.contiguous(type.shape());
        var map = Kernel.Map.of(type.shape(), List.of(view), Scalar.arg(0));
        return MapKernel.need(map, List.of(type.dtype()), List.of(type.dtype()));
    }
}
