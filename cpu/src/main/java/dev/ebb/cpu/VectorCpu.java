package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.exec.Reference;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Type;
import dev.ebb.plan.Threads;

import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The kernels of the Vector API, shared among threads. Loaded only where that API is there. What a
 * program's kernels need beside the arena is made when it is opened for them.
 */
final class VectorCpu implements Device {
    private final Threads threads;
    private final Workers workers;
    private final FusedLoops loops;

    VectorCpu(int threads, FusedLoops loops) {
        this(new Threads(threads, true), loops);
    }

    VectorCpu(Threads threads, FusedLoops loops) {
        this.threads = threads;
        this.loops = loops;
        workers = new Workers(threads.count());
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
        return workspace(node);
    }

    static long workspace(Node node) {
        var types = node.inputTypes().stream().map(Type::dtype).toList();
        if (node.kernel() instanceof Kernel.Fold k) return Elementwise.workspaceBytes(k, types);
        if (node.kernel() instanceof Kernel.Rows k) return RowsKernel.workspaceBytes(k, types);
        return new Reference().workspaceBytes(node);
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return Needs.of(nodes)::bytes;
    }

    @Override
    public long mostOwnBytes(int workers) {
        return KernelNeeds.MOST.bytes() * workers;
    }

    @Override
    public ProgramCpu open(List<Node> nodes, int some) {
        var tiles = new Tiles(Needs.of(nodes), some);
        return new ProgramCpu(threads, new Crew(workers, some), tiles, loops);
    }

    @Override
    public Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
        return open(List.of(node), threads.count()).bind(node, inputs, outputs, workspace);
    }

    @Override
    public void close() {
        workers.close();
    }
}
