package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.exec.Reference;
import dev.ebb.ir.Node;

/**
 * The processor as a device: kernels of the Vector API, shared among threads, with the same bits
 * for every number of them. Without the module {@code jdk.incubator.vector} it says so once and
 * computes as {@link Reference} does.
 */
public final class Cpu implements Device, AutoCloseable {
    private static final boolean VECTORS =
            ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

    private final Device kernels;
    private final int threads;

    /** With one thread for each core: what a service loader makes. */
    public Cpu() {
        this(Runtime.getRuntime().availableProcessors());
    }

    public Cpu(int threads) {
        this.threads = threads;
        if (VECTORS) {
            kernels = new VectorCpu(threads);
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
        return "cpu with " + threads + " threads, vectors " + (VECTORS ? "on" : "off");
    }

    public int threads() {
        return threads;
    }

    @Override
    public long workspaceBytes(Node node) {
        return kernels.workspaceBytes(node);
    }

    @Override
    public long fixedBytes() {
        return kernels.fixedBytes();
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
