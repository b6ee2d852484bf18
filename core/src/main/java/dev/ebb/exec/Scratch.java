package dev.ebb.exec;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Makes a device's workspace part of the graph: a node that needs scratch gets one more output that
 * nobody reads. Planner and layout then treat it as any other value.
 */
public final class Scratch {
    private Scratch() {}

    /** {@code graph} with the workspace that {@code device} asks for. */
    public static Graph add(Graph graph, Device device) {
        int next =
                Math.max(
                                graph.params().stream().mapToInt(Value::id).max().orElse(-1),
                                graph.nodes().stream()
                                        .flatMap(n -> n.outputs().stream())
                                        .mapToInt(Value::id)
                                        .max()
                                        .orElse(-1))
                        + 1;
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            long bytes =
                    node.kernel() instanceof Kernel.Control control
                            ? Controls.workspaceBytes(control, device)
                            : device.workspaceBytes(node);
            if (bytes == 0) {
                nodes.add(node);
                continue;
            }
            var outputs = new ArrayList<>(node.outputs());
            var op = new With(node.op(), bytes);
            outputs.add(new Value(next++, op.scratch()));
            nodes.add(new Node(op, node.inputs(), outputs, node.region(), node.reverse()));
        }
        return new Graph(graph.params(), nodes, graph.results());
    }

    /** Whether the last output of {@code node} is workspace. */
    public static boolean isIn(Node node) {
        return node.op() instanceof With;
    }

    private record With(Op op, long bytes) implements Op {
        Type scratch() {
            if (bytes > Integer.MAX_VALUE) {
                throw new IllegalStateException(
                        op.name() + " asks for " + bytes + " bytes of workspace");
            }
            return new Type(DType.U8, Shape.of((int) bytes));
        }

        @Override
        public String name() {
            return op.name();
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            var types = new ArrayList<>(op.infer(inputs));
            types.add(scratch());
            return types;
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            return op.kernel(inputs);
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new IllegalStateException(
                    "derivatives are taken before a device adds its workspace");
        }

        @Override
        public Set<Trait> traits() {
            return op.traits();
        }

        @Override
        public Set<String> labels() {
            return op.labels();
        }
    }
}
