package dev.ebb.tensor;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;

/** An op whose derivative is written on tensors. */
public interface Differentiable extends Op {

    /** Adds to each operand's cotangent what the results' cotangents imply. */
    void vjp(Rule rule);

    @Override
    default void pullback(Node node, Adjoints adjoints) {
        Rule.record(node, adjoints, this::vjp);
    }

    /**
     * The name of the record, in the style of the reference files: {@code LogSoftmax} is {@code
     * log_softmax}.
     */
    @Override
    default String name() {
        return getClass()
                .getSimpleName()
                .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                .toLowerCase(java.util.Locale.ROOT);
    }
}
