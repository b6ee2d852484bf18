package dev.ebb.cpu;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.sequence.SequenceCompiler;
import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;

import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The processor as a device: kernels of the Vector API, shared among threads, with the same bits
 * for every number of them. Without the module {@code jdk.incubator.vector} it logs a warning once
 * and uses the kernels of {@link Reference}.
 */
public final class Cpu implements Device, AutoCloseable {
    private static final boolean VECTORS =
            ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

    private final Device kernels;
    private final Threads threads;

    /**
     * A device with one thread for each core. Plans for it do not depend on the number of cores.
     */
    public Cpu() {
        this(new Threads(Runtime.getRuntime().availableProcessors(), false));
    }

    /**
     * A device with this number of threads. A plan reserves memory for all of them, up to half of
     * its budget; if that does not suffice, fewer threads run the program.
     */
    public Cpu(int threads) {
        this(new Threads(threads, true));
    }

    private Cpu(Threads threads) {
        this.threads = threads;
        if (VECTORS) {
            kernels = new VectorCpu(threads, new FusedLoops(), new SequenceCompiler());
            return;
        }
        kernels = new Reference();
        System.getLogger(Cpu.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        "the module jdk.incubator.vector is absent, so kernels run without vectors"
                                + " and threads, many times slower; start Java with --add-modules"
                                + " jdk.incubator.vector");
    }

    public static Cpu allCores() {
        return new Cpu();
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public String signature() {
        return "cpu with "
                + threads.count()
                + " threads, "
                + (VECTORS ? "vectors of " + VectorCpu.vectorBits() + " bits" : "no vectors");
    }

    @Override
    public Threads threads() {
        return threads;
    }

    @Override
    public long workspaceBytes(Node node) {
        return kernels.workspaceBytes(node);
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return kernels.ownBytes(nodes);
    }

    @Override
    public long mostOwnBytes(int workers) {
        return kernels.mostOwnBytes(workers);
    }

    @Override
    public int cutEvery(Node node, int axis) {
        return kernels.cutEvery(node, axis);
    }

    @Override
    public Queue open() {
        return kernels.open();
    }

    @Override
    public void close() {
        if (kernels instanceof VectorCpu vectors) vectors.close();
    }
}
