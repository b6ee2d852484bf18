package dev.ebb.cpu;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.fold.FoldKernel;
import dev.ebb.cpu.fold.RowsKernel;
import dev.ebb.cpu.move.ScatterKernel;
import dev.ebb.cpu.move.SortKernel;
import dev.ebb.cpu.product.Contraction;
import dev.ebb.cpu.product.F32Blocks;
import dev.ebb.cpu.sequence.RelocatableKernels;
import dev.ebb.cpu.sequence.SequenceCompiler;
import dev.ebb.cpu.work.Workers;
import dev.ebb.exec.Device;
import dev.ebb.exec.HostQueue;
import dev.ebb.exec.Queue;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.plan.Threads;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToLongFunction;

/**
 * The CPU device with kernels of the Vector API, shared among threads. This class is loaded only if
 * the Vector API is available. The scratch memory of a program's kernels is allocated when its
 * queue reserves it.
 */
final class VectorCpu implements Device, AutoCloseable {
    private final Threads threads;
    private final Workers workers;
    private final FusedLoops loops;
    private final SequenceCompiler sequences;
    private final RelocatableKernels relocatable;
    private final SingleThreadedFirstRuns first;

    VectorCpu(int threads, FusedLoops loops) {
        this(new Threads(threads, true), loops, new SequenceCompiler());
    }

    VectorCpu(Threads threads, FusedLoops loops, SequenceCompiler sequences) {
        this.threads = threads;
        this.sequences = sequences;
        relocatable = new RelocatableKernels(sequences.after());
        this.loops = loops;
        workers = new Workers(threads.count());
        first = new SingleThreadedFirstRuns(threads);
    }

    /** The number of bits of this processor's vectors. */
    static int vectorBits() {
        return F32Blocks.SPECIES.vectorBitSize();
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
        var types = node.inputTypes().stream().map(Type::dtype).toList();
        if (node.kernel() instanceof Kernel.Fold k)
            return ElementwiseKernels.workspaceBytes(k, types);
        if (node.kernel() instanceof Kernel.Rows k)
            return ElementwiseKernels.workspaceBytes(k, types);
        if (node.kernel() instanceof Kernel.Scatter k && !k.isUpdate())
            return ScatterKernel.workspaceBytes(k);
        if (node.kernel() instanceof Kernel.Sort k) return SortKernel.workspaceBytes(k);
        return new Reference().workspaceBytes(node);
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        var scratch = KernelScratchSizes.all(nodes);
        var known = new ConcurrentHashMap<Integer, Long>();
        return workers -> known.computeIfAbsent(workers, scratch::bytes);
    }

    @Override
    public long mostOwnBytes(int workers) {
        return KernelScratchSizes.MOST.bytes() * workers;
    }

    @Override
    public int cutEvery(Node node, int axis) {
        var types = node.inputTypes().stream().map(Type::dtype).toList();
        return switch (node.kernel()) {
            case Kernel.Map _,
                    Kernel.Assemble _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Cumulate _,
                    Kernel.Sort _ ->
                    Node.Cuts.ANYWHERE;
            case Kernel.Fold k -> FoldKernel.cutEvery(k, axis);
            case Kernel.Rows k ->
                    k.results().size() == 1 ? RowsKernel.cutEvery(k, axis) : Node.Cuts.NEVER;
            case Kernel.Contract k ->
                    axis < k.batch().rank() + 2
                            ? Node.Cuts.ANYWHERE
                            : Contraction.cutEvery(types.getFirst());
            case Kernel.Scatter _, Kernel.Opaque _ -> Node.Cuts.NEVER;
        };
    }

    @Override
    public Queue open() {
        return new HostQueue(new ProgramCpu(workers, first, loops, sequences, relocatable));
    }

    @Override
    public void close() {
        workers.close();
    }
}
