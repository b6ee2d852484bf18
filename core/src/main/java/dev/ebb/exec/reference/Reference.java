package dev.ebb.exec.reference;

import dev.ebb.exec.Device;
import dev.ebb.exec.HostQueue;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.RowParts;

import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/** The slow device that defines what every kernel means: plain loops, one element at a time. */
public final class Reference implements Device {

    public Reference() {}

    @Override
    public String name() {
        return "reference";
    }

    @Override
    public long workspaceBytes(Node node) {
        return node.kernel() instanceof Kernel.Library library ? library.workspaceBytes() : 0;
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return _ -> 0;
    }

    @Override
    public long mostOwnBytes(int workers) {
        return 0;
    }

    /** Sums of F64 are added in blocks; those of other floats are rounded at their end alone. */
    @Override
    public int cutEvery(Node node, int axis) {
        boolean whole =
                node.outputs().getFirst().type().dtype() == DType.F64
                        && node.inputTypes().stream().allMatch(t -> t.dtype() == DType.F64);
        return switch (node.kernel()) {
            case Kernel.Map _,
                    Kernel.Assemble _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Cumulate _,
                    Kernel.Sort _ ->
                    Node.Cuts.ANYWHERE;
            case Kernel.Fold k -> {
                if (!k.axes().contains(axis)) yield Node.Cuts.ANYWHERE;
                yield whole ? ReferenceLoops.cutEvery(k.shape(), k.axes(), axis) : Node.Cuts.NEVER;
            }
            case Kernel.Contract k -> {
                if (axis < k.batch().rank() + 2) yield Node.Cuts.ANYWHERE;
                yield whole ? ReferenceLoops.BLOCK : Node.Cuts.NEVER;
            }
            case Kernel.Rows k -> {
                if (k.results().stream().noneMatch(r -> r instanceof RowParts.Columns))
                    yield Node.Cuts.ANYWHERE;
                var leading = IntStream.range(0, k.leading()).boxed().toList();
                yield whole ? ReferenceLoops.cutEvery(k.shape(), leading, axis) : Node.Cuts.NEVER;
            }
            case Kernel.Scatter _, Kernel.Opaque _ -> Node.Cuts.NEVER;
        };
    }

    @Override
    public Queue open() {
        return new HostQueue(this::bind);
    }

    /** The computation of {@code node} on buffers in the host's memory: running it computes it. */
    public Runnable bind(Node node, List<Buffer> in, List<Buffer> out, Buffer workspace) {
        return switch (node.kernel()) {
            case Kernel.Map k -> () -> ReferenceLoops.map(k, in, out);
            case Kernel.Fold k -> () -> ReferenceLoops.fold(k, in, out);
            case Kernel.Rows k ->
                    () -> new ReferenceRows(k, in).run(out.subList(0, k.results().size()));
            case Kernel.Contract k -> () -> ReferenceLoops.contract(k, in, out.getFirst());
            case DecodingContract k -> () -> ReferenceLoops.decoded(k, in, out.getFirst());
            case Kernel.Assemble k -> () -> ReferenceMoves.assemble(k, in, out.getFirst());
            case Kernel.Cut k -> () -> ReferenceMoves.cut(k, in.getFirst(), out);
            case Kernel.Gather k ->
                    () -> ReferenceMoves.gather(k, in.get(0), in.get(1), out.getFirst());
            case Kernel.Scatter k ->
                    k.isUpdate()
                            ? () -> ReferenceMoves.update(k, in, out.getFirst())
                            : () -> ReferenceMoves.scatter(k, in.get(0), in.get(1), out.getFirst());
            case Kernel.Cumulate k -> () -> ReferenceMoves.cumulate(k, in, out.getFirst());
            case Kernel.Sort k -> () -> ReferenceMoves.sort(k, in.getFirst(), out.getFirst());
            case Kernel.Convolve k -> () -> ReferenceConvolve.run(k, in, out.getFirst());
            case Kernel.Attend k -> () -> ReferenceAttend.forward(k, in, out);
            case Kernel.AttendGrad k -> () -> ReferenceAttend.backward(k, in, out);
            case Control k ->
                    throw new IllegalStateException(k + " is run by the program, not by a device");
            case Kernel.Library k -> () -> k.run(in, out, workspace);
        };
    }
}
