package dev.ebb.bench.kernel;

import dev.ebb.exec.Device;
import dev.ebb.exec.HostQueue;
import dev.ebb.exec.Queue;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/**
 * A device on the host that times its kernels one by one, grouped by kind and size. Kernels are run
 * separately, never compiled into one method.
 */
public final class TimedKernels implements Device {
    /** How long kernels of one kind took. */
    public static final class Time {
        private int calls;
        private long nanos;

        private void add(long more) {
            calls++;
            nanos += more;
        }

        public int calls() {
            return calls;
        }

        public double seconds() {
            return nanos / 1e9;
        }
    }

    private final Device device;
    private final Map<String, Time> times = new LinkedHashMap<>();

    public TimedKernels(Device device) {
        this.device = device;
    }

    /** The times since the last call, in the order in which kernels were bound. */
    public Map<String, Time> take() {
        var taken = new LinkedHashMap<String, Time>();
        times.replaceAll(
                (kind, time) -> {
                    taken.put(kind, time);
                    return new Time();
                });
        return taken;
    }

    /** The kind and the size of a kernel. */
    private static String kind(Node node) {
        var shape = node.outputTypes().getFirst().shape();
        return switch (node.kernel()) {
            case Kernel.Contract k ->
                    String.format(
                            "product of %d times %d x %d x %d%s",
                            k.batch().size(),
                            k.m(),
                            k.k(),
                            k.n(),
                            k.a().stride(k.batch().rank() + 1) == 1 ? "" : ", left one transposed");
            case Kernel k ->
                    k.getClass().getSimpleName() + " to " + shape + ": " + node.op().name();
        };
    }

    @Override
    public Queue open() {
        var queue = device.open();
        return new HostQueue(
                new HostQueue.Binder() {
                    @Override
                    public Runnable bind(
                            Node node,
                            List<Buffer> inputs,
                            List<Buffer> outputs,
                            Buffer workspace) {
                        var body = queue.bind(node, inputs, outputs, workspace);
                        var kind = kind(node);
                        times.putIfAbsent(kind, new Time());
                        return () -> {
                            long begun = System.nanoTime();
                            body.run();
                            times.get(kind).add(System.nanoTime() - begun);
                        };
                    }

                    @Override
                    public IntToLongFunction ownBytes(List<Node> nodes) {
                        return queue.ownBytes(nodes);
                    }

                    @Override
                    public void reserve(List<Node> nodes, int workers) {
                        queue.reserve(nodes, workers);
                    }

                    @Override
                    public void release() {
                        queue.close();
                    }
                });
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public String signature() {
        return device.signature();
    }

    @Override
    public Threads threads() {
        return device.threads();
    }

    @Override
    public long workspaceBytes(Node node) {
        return device.workspaceBytes(node);
    }

    @Override
    public IntToLongFunction ownBytes(List<Node> nodes) {
        return device.ownBytes(nodes);
    }

    @Override
    public long mostOwnBytes(int workers) {
        return device.mostOwnBytes(workers);
    }

    @Override
    public int cutEvery(Node node, int axis) {
        return device.cutEvery(node, axis);
    }
}
