package dev.ebb.ir;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Everything the engine knows of one operation, in one place. An op without a shape rule, a kernel
 * or a derivative does not compile. Ops are values: two equal ops compute the same.
 */
public interface Op {

    String name();

    /**
     * The output types for these input types, or a {@link ShapeException} that names types that
     * would fit.
     */
    List<Type> infer(List<Type> inputs);

    /** The computation, in a form that every device understands. */
    Kernel kernel(List<Type> inputs);

    /**
     * Emits the derivative (the vector-Jacobian product): adds to the cotangent of each input its
     * part, given the cotangents of the outputs.
     */
    void pullback(Node node, Adjoints adjoints);

    /**
     * How inputs of this op can be rebuilt from its outputs and its other inputs: a plan may invert
     * the op instead of keeping or recomputing them.
     */
    default List<Inverse> inverses(List<Type> inputs) {
        return List.of();
    }

    /**
     * Emits this op for a batch of examples, where some operands differ from example to example. By
     * default the rule for the form of its kernel is applied; ops with bodies override it.
     */
    default void batch(Node node, Batching batching) {
        batching.together(node);
    }

    default Set<Trait> traits() {
        return Set.of();
    }

    /**
     * Emits this op and its tangents at once, if that is less work than the default, which
     * transposes its pullback; returns whether it did.
     */
    default boolean forward(Node node, Forwarding forwarding) {
        return false;
    }

    /** The values and tangents known so far while a graph is rewritten to propagate tangents. */
    interface Forwarding {

        /** The builder of the new graph. */
        Graph.Builder graph();

        /** The value of the new graph that replaces {@code value}. */
        Value of(Value value);

        /** The tangent of {@code value}, of the same type; empty if it is zero. */
        Optional<Value> tangent(Value value);

        /** Sets the value of the new graph that replaces {@code value}, and its tangent. */
        void put(Value value, Value here, Optional<Value> tangent);
    }

    /**
     * The values known so far while a graph is rewritten to work on several examples at once: each
     * value is either batched, with a first axis that has one slice per example, or the same for
     * all examples.
     */
    interface Batching {

        /** The builder of the batched graph. */
        Graph.Builder graph();

        /** Whether {@code value} is batched. */
        boolean differs(Value value);

        /**
         * The value that replaces {@code value} in the batched graph, with the batch axis if it is
         * batched.
         */
        Value of(Value value);

        /**
         * The value that replaces {@code value}, broadcast along the batch axis if it is not
         * batched.
         */
        Value stacked(Value value);

        /**
         * Sets the value of the batched graph that replaces {@code value}; it has the batch axis if
         * {@code differs}.
         */
        void put(Value value, Value here, boolean differs);

        /** {@code here} with its first two axes exchanged. */
        Value swapped(Value here);

        /**
         * Emits {@code node} as one kernel of the same form with a batch axis, if there is such a
         * kernel.
         */
        void together(Node node);

        /** Emits {@code node} as a loop that processes one example after the other. */
        void oneByOne(Node node);

        /**
         * {@code body} for the batch, where {@code params} says which parameters are batched. A
         * result has the batch axis if it depends on a batched value or if {@code stacked} requires
         * it.
         */
        Body body(Graph body, List<Boolean> params, List<Boolean> stacked);

        /** A graph for the batch, and which of its results are batched. */
        record Body(Graph graph, List<Boolean> differs) {
            public Body {
                differs = List.copyOf(differs);
            }
        }
    }
}
