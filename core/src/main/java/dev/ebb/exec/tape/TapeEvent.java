package dev.ebb.exec.tape;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.List;

/**
 * One request of a tape to its {@link TapeReplay}. The requests in order are the history of the
 * tape.
 */
sealed interface TapeEvent {

    /** A value from outside comes in and stays. */
    record Take(Value value) implements TapeEvent {}

    /** New nodes run, in order. */
    record Run(List<Step> steps) implements TapeEvent {}

    /**
     * A node and what is known of its kind.
     *
     * @param later whether it runs only when one of its outputs is needed
     */
    record Step(Node node, OpForm form, boolean later) {}

    /** A value is read, and is computed again for it if it is gone. */
    record Bring(Value value) implements TapeEvent {}

    /** A value stays in memory from now on. */
    record Keep(Value value) implements TapeEvent {}

    /** A value is something that a sweep carries along, or is no more. */
    record Hold(Value value, boolean on) implements TapeEvent {}

    /** A sweep backwards has come to the node that made a value. */
    record BackwardStep(Value value) implements TapeEvent {}

    /** The sweep has ended. */
    record SweepIsOver() implements TapeEvent {}
}
