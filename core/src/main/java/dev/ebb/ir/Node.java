package dev.ebb.ir;

import java.util.List;
import java.util.stream.Collectors;

/** One application of an op. {@code reverse} is true for nodes of the backward half. */
public record Node(Op op, List<Value> inputs, List<Value> outputs, Region region, boolean reverse) {

    public Node {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
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
        /** The pieces would have other bits, or it is not known. */
        int NEVER = 0;

        /** Each index is computed by itself. */
        int ANYWHERE = 1;

        /**
         * Every so many indices of {@code axis}. Where the axis is combined, by a fold or a
         * product, pieces of exactly so many indices, the last may be shorter, are combined in
         * order.
         */
        int every(Node node, int axis);
    }
}
