package dev.ebb.cpu;

import dev.ebb.cpu.attend.AttendBackward;
import dev.ebb.cpu.attend.AttendForward;
import dev.ebb.cpu.attend.PlainAttention;
import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.product.Contraction;
import dev.ebb.cpu.product.ConvolveKernel;
import dev.ebb.cpu.sequence.RelocatableKernels;
import dev.ebb.cpu.sequence.SequenceCompiler;
import dev.ebb.cpu.tile.ProgramScratch;
import dev.ebb.cpu.tile.Tiles;
import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.cpu.work.Workers;
import dev.ebb.exec.ArrayFunction;
import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.HostQueue;
import dev.ebb.exec.RelocatableKernel;
import dev.ebb.exec.Sequence;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.DecodingContract;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;

import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/** The kernels of one program, on some of the device's workers, with their scratch memory. */
final class ProgramCpu implements HostQueue.Binder {
    private final Workers all;
    private final SingleThreadedFirstRuns first;
    private final FusedLoops loops;
    private final SequenceCompiler sequences;
    private final RelocatableKernels relocatable;
    private final Reference reference = new Reference();
    private WorkerGroup workers;
    private Tiles tiles;
    private ElementwiseKernels elementwise;

    ProgramCpu(
            Workers all,
            SingleThreadedFirstRuns first,
            FusedLoops loops,
            SequenceCompiler sequences,
            RelocatableKernels relocatable) {
        this.all = all;
        this.first = first;
        this.loops = loops;
        this.sequences = sequences;
        this.relocatable = relocatable;
        workers = new WorkerGroup(all, 1);
        tiles = new Tiles(ProgramScratch.NONE, 1);
        elementwise = new ElementwiseKernels(workers, tiles, loops);
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return tiles.scratch().and(scratch(nodes))::bytes;
    }

    /**
     * The scratch memory for the kernels of these nodes; a tape calls this for one node at a time,
     * very often.
     */
    private ProgramScratch scratch(List<Node> nodes) {
        return nodes.size() == 1
                ? relocatable.scratch(nodes.getFirst(), n -> KernelScratchSizes.all(List.of(n)))
                : KernelScratchSizes.all(nodes);
    }

    @Override
    public void reserve(List<Node> nodes, int some) {
        workers = new WorkerGroup(all, some);
        tiles = tiles.with(scratch(nodes), some);
        elementwise = new ElementwiseKernels(workers, tiles, loops);
    }

    @Override
    public Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        tiles.check(node.op().name(), KernelScratchSizes.of(node));
        return first.of(node, kernel(node, inputs, outputs, workspace), workers);
    }

    private Runnable kernel(
            Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        return switch (node.kernel()) {
            case Kernel.Map k -> elementwise.map(k, inputs, outputs);
            case Kernel.Contract k -> contract(k, node, inputs, outputs.getFirst(), workspace);
            case DecodingContract k ->
                    Contraction.decoded(k, inputs, outputs.getFirst(), tiles, loops, workers);
            case Kernel.Convolve k -> convolve(k, node, inputs, outputs.getFirst(), workspace);
            case Kernel.Attend k -> attend(k, inputs, outputs);
            case Kernel.AttendGrad k -> attendGrad(k, inputs, outputs);
            case Kernel.Fold k -> elementwise.fold(k, inputs, outputs, workspace);
            case Kernel.Rows k -> elementwise.rows(k, inputs, outputs, workspace);
            case Kernel.Assemble k -> elementwise.assemble(k, inputs, outputs.getFirst());
            case Kernel.Cut k -> elementwise.cut(k, inputs.getFirst(), outputs);
            case Kernel.Gather k ->
                    elementwise.gather(k, inputs.get(0), inputs.get(1), outputs.getFirst());
            case Kernel.Scatter k -> elementwise.scatter(k, inputs, outputs.getFirst(), workspace);
            case Kernel.Cumulate k -> elementwise.cumulate(k, inputs, outputs.getFirst());
            case Kernel.Sort k ->
                    elementwise.sort(k, inputs.getFirst(), outputs.getFirst(), workspace);
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
            case F32, F64 -> new ConvolveKernel(k, in, out, tiles, workers);
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
    public int compiledAfter() {
        return sequences.after();
    }

    @Override
    public boolean isCompiledAtOnce(List<Node> nodes) {
        return sequences.isAtOnce(nodes);
    }

    @Override
    public Optional<CompiledSequence> compiled(Sequence sequence) {
        return sequences.inPlace(sequence, workers, tiles, loops);
    }

    @Override
    public Optional<ArrayFunction> arrayFunction(Sequence sequence, int arguments) {
        return sequences.arrayFunction(sequence, arguments);
    }

    @Override
    public Optional<RelocatableKernel> relocatable(Node node) {
        return relocatable.of(node);
    }

    @Override
    public void release() {
        tiles.close();
    }
}
