package dev.ebb.exec.tape;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.List;

/**
 * One request of a tape to its {@link TapeReplay}. The requests in order are the history of the
 * tape.
 */
sealed interface TapeEvent {

    /** A value from outside is added; it is never evicted. */
    record Take(Value value) implements TapeEvent {}

    /** New nodes run, in order. */
    record Run(List<Step> steps) implements TapeEvent {}

    /**
     * A node and the form of its op.
     *
     * @param later whether it runs only when one of its outputs is needed
     */
    record Step(Node node, OpForm form, boolean later) {}

    /** A value is read; it is recomputed first if it was evicted. */
    record Bring(Value value) implements TapeEvent {}

    /** A value stays in memory from now on. */
    record Keep(Value value) implements TapeEvent {}

    /** A value is a cotangent that a backward pass still needs ({@code on}), or no longer is. */
    record Hold(Value value, boolean on) implements TapeEvent {}

    /** A backward pass has reached the node that computed a value. */
    record BackwardStep(Value value) implements TapeEvent {}

    /** The backward pass has ended. */
    record BackwardEnd() implements TapeEvent {}
}
