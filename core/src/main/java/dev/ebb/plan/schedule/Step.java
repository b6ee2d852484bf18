package dev.ebb.plan.schedule;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.List;

/**
 * One step of a {@link Schedule}: computes the outputs of a node, rebuilds a value by an inversion,
 * frees a value, or moves one between the arena and a place outside of it.
 */
public sealed interface Step {

    /**
     * The output {@code into} is written over the input {@code from}, which dies with this step.
     */
    record Reuse(Value from, Value into) {}

    /** A step that runs a kernel. */
    sealed interface Work extends Step {
        Node node();

        List<Reuse> reuses();

        /** The same with these outputs written in place. */
        default Work with(List<Reuse> others) {
            return switch (this) {
                case Compute(var node, _) -> new Compute(node, others);
                case Invert(var inversion, _) -> new Invert(inversion, others);
            };
        }
    }

    /** Computes a node; a second one of the same node recomputes it. */
    record Compute(Node node, List<Reuse> reuses) implements Work {
        public Compute {
            reuses = List.copyOf(reuses);
        }

        public Compute(Node node) {
            this(node, List.of());
        }
    }

    /** Rebuilds an input of a node from later values. */
    record Invert(Inversion inversion, List<Reuse> reuses) implements Work {
        public Invert {
            reuses = List.copyOf(reuses);
        }

        @Override
        public Node node() {
            return inversion.node();
        }
    }

    /** Frees a value's memory. */
    record Free(Value value) implements Step {}

    /** Starts to write a value to a place; it stays in the arena until it is freed. */
    record Offload(Value value, Place place) implements Step {}

    /** Starts to read a value back from a place; whatever reads it waits for it. */
    record Fetch(Value value, Place place) implements Step {}
}
