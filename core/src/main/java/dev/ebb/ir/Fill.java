package dev.ebb.ir;

import java.util.List;

/** A tensor whose every element equals {@code value}. */
public record Fill(Type type, double value) implements Op {

    @Override
    public String name() {
        return "fill(" + value + ")";
    }

    @Override
    public List<Type> infer(List<Type> inputs) {
        return List.of(type);
    }

    @Override
    public Kernel kernel(List<Type> inputs) {
        return Kernel.Map.of(
                type.shape(), List.of(), new Scalar.Lit(type.dtype().compute(), value));
    }

    @Override
    public void pullback(Node node, Adjoints adjoints) {
        // no inputs, nothing to add
    }
}
