package dev.ebb.exec.program;

import dev.ebb.exec.Device;
import dev.ebb.exec.Session;
import dev.ebb.exec.loop.Scratch;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Node;
import dev.ebb.plan.schedule.Layout;

import java.util.ArrayList;
import java.util.List;

/**
 * The memory of one program, or of several that run in turn, and its queue.
 *
 * @param ownBytes what the device uses outside the arena to run their kernels
 */
public record Arena(Session session, Memory memory, long ownBytes) {
    private static final long LINE = 64;

    /** An arena for each of {@code layouts} in turn, with this number of workers. */
    public static Arena of(List<Layout> layouts, Device device, int workers) {
        var nodes = nodes(layouts);
        var session = Session.on(device);
        session.queue().reserve(nodes, workers);
        long bytes = layouts.stream().mapToLong(Layout::arenaBytes).max().orElse(0);
        return new Arena(
                session,
                session.queue().allocate(Math.max(bytes, LINE)).memory(),
                device.ownBytes(nodes).applyAsLong(workers));
    }

    /** The bytes that {@link #of} would use outside the arena. */
    public static long ownBytes(List<Layout> layouts, Device device, int workers) {
        return device.ownBytes(nodes(layouts)).applyAsLong(workers);
    }

    private static List<Node> nodes(List<Layout> layouts) {
        var nodes = new ArrayList<Node>();
        for (var layout : layouts) nodes.addAll(Scratch.nodes(layout.schedule().problem()));
        return nodes;
    }
}
