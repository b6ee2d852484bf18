package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.exec.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;

import java.util.List;
import java.util.function.IntToLongFunction;

/** A {@link VectorCpu} for one program: some of its workers, with the memory that they need. */
final class ProgramCpu implements Device {
    private final Threads threads;
    private final Crew workers;
    private final Tiles tiles;
    private final FusedLoops loops;
    private final Elementwise elementwise;
    private final Reference reference = new Reference();

    /**
     * @param threads all that the device has
     */
    ProgramCpu(Threads threads, Crew workers, Tiles tiles, FusedLoops loops) {
        this.threads = threads;
        this.workers = workers;
        this.tiles = tiles;
        this.loops = loops;
        elementwise = new Elementwise(workers, tiles, loops);
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public Threads threads() {
        return threads;
    }

    @Override
    public long workspaceBytes(Node node) {
        return VectorCpu.workspace(node);
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return tiles.needs().and(Needs.of(nodes))::bytes;
    }

    @Override
    public long mostOwnBytes(int some) {
        return KernelNeeds.MOST.bytes() * some;
    }

    @Override
    public ProgramCpu open(List<Node> nodes, int some) {
        var larger = tiles.with(Needs.of(nodes), some);
        if (larger == tiles) return this;
        return new ProgramCpu(threads, new Crew(workers.workers(), some), larger, loops);
    }

    @Override
    public Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        tiles.check(node.op().name(), KernelNeeds.of(node));
        return switch (node.kernel()) {
            case Kernel.Map k -> elementwise.map(k, inputs, outputs);
            case Kernel.Contract k -> contract(k, node, inputs, outputs.getFirst(), workspace);
            case Kernel.Convolve k -> convolve(k, node, inputs, outputs.getFirst(), workspace);
            case Kernel.Attend k -> attend(k, inputs, outputs);
            case Kernel.AttendGrad k -> attendGrad(k, inputs, outputs);
            case Kernel.Fold k -> elementwise.fold(k, inputs, outputs.getFirst(), workspace);
            case Kernel.Rows k -> elementwise.rows(k, inputs, outputs.getFirst(), workspace);
            case Kernel.Assemble k -> elementwise.assemble(k, inputs, outputs.getFirst());
            case Kernel.Cut k -> elementwise.cut(k, inputs.getFirst(), outputs);
            case Kernel.Gather k ->
                    elementwise.gather(k, inputs.get(0), inputs.get(1), outputs.getFirst());
            case Kernel.Scatter k ->
                    elementwise.scatter(k, inputs.get(0), inputs.get(1), outputs.getFirst());
            case Kernel.Cumulate k ->
                    elementwise.cumulate(k, inputs.getFirst(), outputs.getFirst());
            case Control _, Kernel.Library _ -> reference.bind(node, inputs, outputs, workspace);
        };
    }

    private Runnable contract(
            Kernel.Contract k, Node node, List<Buffer> in, Buffer out, Buffer workspace) {
        if (!Contraction.fits(in.getFirst().dtype(), out.dtype())) {
            return reference.bind(node, in, List.of(out), workspace);
        }
        return new Contraction(
                k, in.get(0), in.get(1), in.subList(2, in.size()), out, tiles, loops, workers);
    }

    private Runnable convolve(
            Kernel.Convolve k, Node node, List<Buffer> in, Buffer out, Buffer workspace) {
        return switch (out.dtype()) {
            case F32, F64 -> new Convolution(k, in, out, tiles, workers);
            case BF16, F16, I32, I64, U8, BOOL, BIT ->
                    reference.bind(node, in, List.of(out), workspace);
        };
    }

    private Runnable attend(Kernel.Attend k, List<Buffer> in, List<Buffer> out) {
        return in.getFirst().dtype().compute() == DType.F32 && AttendForward.fits(k.heads())
                ? new AttendForward(k, in, out, tiles, workers)
                : PlainAttention.of(k, in, out, workers);
    }

    private Runnable attendGrad(Kernel.AttendGrad k, List<Buffer> in, List<Buffer> out) {
        return in.getFirst().dtype() == DType.F32 && AttendBackward.fits(k.heads())
                ? new AttendBackward(k, in, out, tiles, workers)
                : PlainAttention.of(k, in, out, workers);
    }

    @Override
    public void close() {
        tiles.close();
    }
}
