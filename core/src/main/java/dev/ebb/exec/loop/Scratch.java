package dev.ebb.exec.loop;

import dev.ebb.exec.Device;
import dev.ebb.ir.Control;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Inversion;
import dev.ebb.plan.schedule.Problem;

import java.util.ArrayList;
import java.util.List;

/**
 * Makes a device's workspace part of the graph: a node that needs scratch gets one more output that
 * no node reads. Planner and layout then treat it as any other value.
 */
public final class Scratch {
    private static final int LINE = 64;

    private Scratch() {}

    /** {@code graph} with the workspace that {@code device} asks for. */
    public static Graph add(Graph graph, Device device) {
        int next = graph.unusedId();
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            var added = add(node, device, next);
            if (added.workspace()) next++;
            nodes.add(added);
        }
        return new Graph(graph.params(), nodes, graph.results());
    }

    /** {@code graph} without the outputs that {@link #add} added. */
    public static Graph remove(Graph graph) {
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            nodes.add(node.withoutWorkspace());
        }
        return new Graph(graph.params(), nodes, graph.results());
    }

    /** The inversions that the ops of {@code graph} know, with their workspace. */
    public static List<Inversion> inversions(Graph graph, Device device) {
        int next = graph.unusedId();
        var ways = new ArrayList<Inversion>();
        for (var way : Inversion.of(graph)) {
            var added = add(way.node(), device, next);
            if (added.workspace()) next++;
            ways.add(new Inversion(added, way.undone(), way.exact()));
        }
        return ways;
    }

    /** All nodes that a plan of {@code problem} may run. */
    public static List<Node> nodes(Problem problem) {
        var nodes = new ArrayList<>(problem.graph().nodes());
        problem.inversions().forEach(way -> nodes.add(way.node()));
        return nodes;
    }

    private static Node add(Node node, Device device, int next) {
        long bytes =
                node.kernel() instanceof Control control
                        ? ControlKernels.workspaceBytes(control, device)
                        : device.workspaceBytes(node);
        return bytes == 0 ? node : node.withWorkspace(new Value(next, type(bytes)));
    }

    /**
     * A type of at least {@code bytes} bytes; if these are more than one axis can have, in rows of
     * cache lines.
     */
    private static Type type(long bytes) {
        if (bytes <= Integer.MAX_VALUE) return new Type(DType.U8, Shape.of((int) bytes));
        int row = LINE;
        while (Math.ceilDiv(bytes, row) > Integer.MAX_VALUE) row *= 2;
        return new Type(DType.U8, Shape.of((int) Math.ceilDiv(bytes, row), row));
    }
}
