package dev.ebb.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One application of an op.
 *
 * @param outputs the results of the op, and after them the node's workspace if it has one
 * @param reverse whether the node belongs to the backward half
 * @param labels the names that the user gave to the results; policies select nodes by them
 * @param workspace whether the last output is memory that the kernel needs while it runs; no node
 *     reads it
 */
public record Node(
        Op op,
        List<Value> inputs,
        List<Value> outputs,
        Region region,
        boolean reverse,
        Set<String> labels,
        boolean workspace) {

    public Node {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        labels = Set.copyOf(labels);
    }

    /** A node without labels and without workspace. */
    public Node(Op op, List<Value> inputs, List<Value> outputs, Region region, boolean reverse) {
        this(op, inputs, outputs, region, reverse, Set.of(), false);
    }

    /** The same op on other values. */
    public Node on(List<Value> inputs, List<Value> outputs) {
        return new Node(op, inputs, outputs, region, reverse, labels, workspace);
    }

    /** Another op in the place of this one, with its labels; it has no workspace yet. */
    public Node with(Op other, List<Value> inputs, List<Value> outputs) {
        return new Node(other, inputs, outputs, region, reverse, labels, false);
    }

    /** The same in the backward half if {@code backward}, otherwise in the forward half. */
    public Node inHalf(boolean backward) {
        return new Node(op, inputs, outputs, region, backward, labels, workspace);
    }

    /** The same with these labels only. */
    public Node labelled(Set<String> names) {
        return new Node(op, inputs, outputs, region, reverse, names, workspace);
    }

    /** The same with {@code memory} as its workspace. */
    public Node withWorkspace(Value memory) {
        var all = new ArrayList<>(results());
        all.add(memory);
        return new Node(op, inputs, all, region, reverse, labels, true);
    }

    /** The same without workspace. */
    public Node withoutWorkspace() {
        return new Node(op, inputs, results(), region, reverse, labels, false);
    }

    /** The outputs without the workspace. */
    public List<Value> results() {
        return workspace ? outputs.subList(0, outputs.size() - 1) : outputs;
    }

    public List<Type> inputTypes() {
        return Value.types(inputs);
    }

    public List<Type> outputTypes() {
        return Value.types(outputs);
    }

    public Kernel kernel() {
        return op.kernel(inputTypes());
    }

    @Override
    public String toString() {
        var out = outputs.stream().map(v -> v + ":" + v.type()).collect(Collectors.joining(", "));
        var in = inputs.stream().map(Value::toString).collect(Collectors.joining(", ", "(", ")"));
        return out
                + " = "
                + op.name()
                + in
                + (region.isTop() ? "" : "  @" + region)
                + (reverse ? "  ~" : "");
    }

    /**
     * Where a device may cut the computation of a node along one of the axes that its kernel walks,
     * so that the pieces have the bits of the whole. The axes are those of the kernel's shape; of a
     * contraction the batch, then m, n and k; of a kernel that is given by counts, 0 for the
     * outermost.
     */
    @FunctionalInterface
    public interface Cuts {
        /** The pieces would have other bits, or the device does not know. */
        int NEVER = 0;

        /** Each index is computed independently. */
        int ANYWHERE = 1;

        /**
         * The number of indices of {@code axis} after which the device may cut, and after every
         * multiple of it. If a fold or a product combines the axis, it must be cut into pieces of
         * exactly this size (the last may be shorter), whose results are combined in order.
         */
        int every(Node node, int axis);
    }
}
