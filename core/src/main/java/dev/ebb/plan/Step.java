package dev.ebb.plan;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.List;

/** One thing a schedule does. */
public sealed interface Step {

    /**
     * The output {@code into} is written over the input {@code from}, which dies with this step.
     */
    record Reuse(Value from, Value into) {}

    /** Computes a node; a second one of the same node recomputes it. */
    record Compute(Node node, List<Reuse> reuses) implements Step {
        public Compute {
            reuses = List.copyOf(reuses);
        }

        public Compute(Node node) {
            this(node, List.of());
        }
    }

    /** Gives a value's memory back. */
    record Free(Value value) implements Step {}
}
