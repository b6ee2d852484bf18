package dev.ebb.ir;

import java.util.List;
import java.util.Set;

/**
 * Everything the engine knows of one operation, in one place. An op without a shape rule, a kernel
 * or a derivative does not compile. Ops are values: two ops that are equal do the same.
 */
public interface Op {

    String name();

    /**
     * The output types for these input types, or a {@link ShapeException} that says what would fit.
     */
    List<Type> infer(List<Type> inputs);

    /** What to compute, said once for all devices. */
    Kernel kernel(List<Type> inputs);

    /**
     * Adds to the cotangent of each input what the cotangents of the outputs imply, as more graph.
     */
    void pullback(Node node, Adjoints adjoints);

    /**
     * How inputs of this op can be rebuilt from its outputs and its other inputs: ways back that a
     * plan may take instead of keeping or recomputing them.
     */
    default List<Inverse> inverses(List<Type> inputs) {
        return List.of();
    }

    /**
     * Emits this op for many examples at once, some of whose operands differ from example to
     * example. Its kernel's form says how, unless it is made of graphs of its own.
     */
    default void batch(Node node, Batching batching) {
        batching.together(node);
    }

    default Set<Trait> traits() {
        return Set.of();
    }

    /** The names that the user gave to what this computes; policies find it by them. */
    default Set<String> labels() {
        return Set.of();
    }
}
