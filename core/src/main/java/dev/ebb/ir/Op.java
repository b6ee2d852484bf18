package dev.ebb.ir;

import java.util.List;
import java.util.Optional;
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

    /** The computation, in a form that every device understands. */
    Kernel kernel(List<Type> inputs);

    /**
     * Emits the derivative: adds to the cotangent of each input what the cotangents of the outputs
     * imply.
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
     * Emits this op for a batch of examples, where some operands differ from example to example. By
     * default the form of its kernel decides how; ops with bodies override it.
     */
    default void batch(Node node, Batching batching) {
        batching.together(node);
    }

    default Set<Trait> traits() {
        return Set.of();
    }

    /**
     * Emits this op and its tangents at once, where that is less work than transposing its
     * pullback, the default; returns whether it did.
     */
    default boolean forward(Node node, Forwarding forwarding) {
        return false;
    }

    /** What is known so far while a graph is rewritten to carry tangents along. */
    interface Forwarding {

        /** Where values and tangents are emitted. */
        Graph.Builder graph();

        /** What stands for {@code value}. */
        Value of(Value value);

        /** Its tangent, of its type; empty where that is zero. */
        Optional<Value> tangent(Value value);

        /** {@code here} stands for {@code value} from now on, with this tangent. */
        void put(Value value, Value here, Optional<Value> tangent);
    }

    /**
     * The values known so far while a graph is rewritten to work on several examples at once: each
     * value either has one more axis, the first, with one slice an example, or is the same for all.
     */
    interface Batching {

        /** Where the nodes for all examples are emitted. */
        Graph.Builder graph();

        /** Whether {@code value} differs from example to example. */
        boolean differs(Value value);

        /** What stands for {@code value}: with the axis if it differs, else as it is. */
        Value of(Value value);

        /** What stands for {@code value}, with the axis in any case. */
        Value stacked(Value value);

        /**
         * {@code here}, which has the axis if {@code differs}, stands for {@code value} from now
         * on.
         */
        void put(Value value, Value here, boolean differs);

        /** {@code here} with its first two axes exchanged. */
        Value swapped(Value here);

        /**
         * Emits {@code node} with one more axis: one kernel of the same form, where that is one.
         */
        void together(Node node);

        /** Emits {@code node} as a loop that takes one example after the other. */
        void oneByOne(Node node);

        /**
         * {@code body} for all examples, of parameters that differ or not. A result has the axis if
         * it differs or if {@code stacked} asks for it; which do is told.
         */
        Body body(Graph body, List<Boolean> params, List<Boolean> stacked);

        /** A graph for all examples, and which of its results have the axis. */
        record Body(Graph graph, List<Boolean> differs) {
            public Body {
                differs = List.copyOf(differs);
            }
        }
    }
}
