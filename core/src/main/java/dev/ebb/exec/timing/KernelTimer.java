package dev.ebb.exec.timing;

import dev.ebb.exec.Device;
import dev.ebb.exec.Queue;
import dev.ebb.exec.Session;
import dev.ebb.exec.loop.ControlKernels;
import dev.ebb.exec.transfer.CheckpointStore;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Measures the time of one kernel on a device. The kernel runs in batches until it gets no faster,
 * since the JIT compiles it meanwhile, and on several sets of buffers in turn, since in a program
 * its operands come from memory and not from the cache. A batch counts by its median, the kernel by
 * its best batch. Where a device repeats recorded work, as in a program, several runs are recorded
 * and timed together, so that the time to start each of them separately does not count.
 */
final class KernelTimer {
    /** Sets of buffers are made until they no longer fit into a cache. */
    private static final long FAR = 64L << 20;

    private static final int MOST_SETS = 8;
    private static final int FEWEST_RUNS = 3;
    private static final int MOST_RUNS = 4096;

    /** Runs of a kernel that are recorded together. */
    static final int RECORDED = 16;

    /**
     * Timing ends when a kernel has not become faster for this number of nanoseconds: until then
     * the JIT may still compile it.
     */
    private static final long PATIENCE = 300_000_000;

    private static final int BATCHES = 12;

    /** Timing ends after this multiple of the patience, even if calls still get faster. */
    private static final int LONGEST = 12;

    /** A batch counts as faster if its time is below this share of the best so far. */
    private static final double PROGRESS = 0.97;

    private final Device device;
    private final long patience;

    KernelTimer(Device device) {
        this(device, PATIENCE);
    }

    /** With another patience, in nanoseconds. */
    KernelTimer(Device device, long patience) {
        this.device = device;
        this.patience = patience;
    }

    /**
     * Whether {@code node} can be timed on made-up operands: it has no effects, and contains no
     * loop or branch that depends on data.
     */
    static boolean canTime(Node node) {
        if (node.op().traits().contains(Trait.EFFECT)) return false;
        return switch (node.kernel()) {
            case Control.While _, Control.Cond _ -> false;
            case Control control ->
                    control.bodies().stream()
                            .flatMap(g -> g.nodes().stream())
                            .allMatch(KernelTimer::canTime);
            case Kernel.Viewed _,
                    Kernel.Rows _,
                    Kernel.Assemble _,
                    Kernel.Cut _,
                    Kernel.Gather _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Opaque _ ->
                    true;
        };
    }

    /** Seconds per run; empty if the kernel refuses the made-up operands. */
    OptionalDouble seconds(Node node) {
        try (var queue = device.open()) {
            queue.reserve(List.of(node), device.threads().count());
            long bytes = 0;
            for (Type t : node.inputTypes()) bytes += t.bytes();
            for (Type t : node.outputTypes()) bytes += t.bytes();
            int sets = Math.clamp(FAR / Math.max(1, bytes), 1, MOST_SETS);
            var bodies = new Runnable[sets];
            for (int i = 0; i < sets; i++) bodies[i] = bind(node, new Session(device, queue));
            return OptionalDouble.of(measure(work(node, bodies, queue), queue));
        } catch (ArithmeticException | IllegalArgumentException | IllegalStateException e) {
            System.getLogger("dev.ebb")
                    .log(
                            System.Logger.Level.DEBUG,
                            "{0} cannot be timed on made-up operands, its cost is estimated: {1}",
                            node.op().name(),
                            e.getMessage());
            return OptionalDouble.empty();
        }
    }

    private Runnable bind(Node node, Session session) {
        var in = node.inputTypes().stream().map(t -> filled(t, session.queue())).toList();
        var out = new ArrayList<Buffer>();
        for (Type t : node.outputTypes()) out.add(filled(t, session.queue()));
        boolean planned = node.workspace();
        var control =
                node.kernel() instanceof Control c
                        ? java.util.Optional.of(c)
                        : java.util.Optional.<Control>empty();
        long wanted =
                control.map(c -> ControlKernels.workspaceBytes(c, device))
                        .orElseGet(() -> device.workspaceBytes(node));
        var workspace =
                planned
                        ? out.removeLast()
                        : new Buffer(DType.U8, wanted, session.queue().allocate(wanted).memory());
        return control.map(
                        c ->
                                ControlKernels.bind(
                                        c, session, in, out, workspace, CheckpointStore.IDLE))
                .orElseGet(() -> session.queue().bind(node, in, out, workspace));
    }

    /** Floats between 0.25 and 1.25; whole numbers are 0, which is an index everywhere. */
    private static Buffer filled(Type type, Queue queue) {
        long bytes = type.bytes();
        var memory = queue.allocate(bytes).memory();
        if (!type.dtype().isFloat() || bytes == 0)
            return new Buffer(type.dtype(), type.size(), memory);
        int some = (int) Math.min(type.size(), 4096);
        var pattern = new Buffer(type.dtype(), some, MemorySegment.ofArray(new long[some]));
        for (int i = 0; i < some; i++) pattern.set(i, 0.25 + i * 0.618 % 1);
        for (long at = 0; at < bytes; at += pattern.bytes()) {
            long part = Math.min(pattern.bytes(), bytes - at);
            queue.write(pattern.segment().asSlice(0, part), memory.slice(at, part));
        }
        return new Buffer(type.dtype(), type.size(), memory);
    }

    /**
     * A piece of work that is timed as a whole.
     *
     * @param runs of the kernel
     */
    private record Work(Runnable runnable, int runs) {}

    private static Work work(Node node, Runnable[] bodies, Queue queue) {
        for (Runnable body : bodies) body.run();
        queue.finish();
        int[] turn = {0};
        Runnable next = () -> bodies[turn[0]++ % bodies.length].run();
        boolean isOnHost =
                node.kernel() instanceof Control || node.kernel() instanceof Kernel.Library;
        if (isOnHost) return new Work(next, 1);
        Runnable several =
                () -> {
                    for (int i = 0; i < RECORDED; i++) bodies[i % bodies.length].run();
                };
        return queue.recorded(several)
                .map(recorded -> new Work(recorded, RECORDED))
                .orElseGet(() -> new Work(next, 1));
    }

    private double measure(Work work, Queue queue) {
        long begun = System.nanoTime();
        long progress = begun;
        double best = Double.MAX_VALUE;
        for (long now = begun; now - progress < patience && now - begun < LONGEST * patience; ) {
            double median = batch(work, queue);
            now = System.nanoTime();
            if (median < best * PROGRESS) progress = now;
            best = Math.min(best, median);
        }
        return best;
    }

    private double batch(Work work, Queue queue) {
        var times = new long[MOST_RUNS];
        var before = queue.event();
        var after = queue.event();
        int runs = 0;
        long start = System.nanoTime();
        while (runs < MOST_RUNS
                && (runs < FEWEST_RUNS || System.nanoTime() - start < patience / BATCHES)) {
            before.mark();
            work.runnable().run();
            after.mark();
            times[runs++] = after.nanos() - before.nanos();
        }
        Arrays.sort(times, 0, runs);
        return times[runs / 2] / (1e9 * work.runs());
    }
}
