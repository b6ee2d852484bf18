package dev.ebb.ir;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One application of an op. {@code reverse} tells a node of a backward half from one of the user's
 * program.
 */
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
}
