package dev.ebb.tensor;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;

import java.util.Locale;

/** An op whose derivative is written on tensors. */
public interface Differentiable extends Op {

    /** Adds to each operand's cotangent its part, given the cotangents of the results. */
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
        return Names.OF.get(getClass());
    }

    /** The names of ops by their classes: each is made once. */
    final class Names {
        private static final ClassValue<String> OF =
                new ClassValue<>() {
                    @Override
                    protected String computeValue(Class<?> type) {
                        return type.getSimpleName()
                                .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                                .toLowerCase(Locale.ROOT);
                    }
                };

        private Names() {}
    }
}
