package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

/**
 * Receives the events of a schedule, one by one: see {@link Schedule#tell}. A listener overrides
 * the events that it needs and does not read steps itself. Step numbers count from 0.
 */
public interface ScheduleListener {

    /** The reason why a kernel runs. */
    enum Run {
        /** Its node is computed for the first time. */
        FIRST,
        /** Its node is computed again. */
        AGAIN,
        /** It rebuilds a value from later values. */
        INVERTED
    }

    /** Before the first step, a parameter is in the arena. */
    default void starts(Value param) {}

    /** Before the first step, a parameter is in a place outside the arena. */
    default void startsAway(Value param, Place place) {}

    /** A kernel runs. What becomes of its operands and outputs is told by the events after it. */
    default void runs(int step, Step.Work work, Run how) {}

    /** An output of the latest kernel is written over an input, which is gone. */
    default void overwrites(int step, Value from, Value into) {}

    /** A value gets memory in the arena: an output of the latest kernel, or a fetched value. */
    default void enters(int step, Value value) {}

    /** The memory of a value is freed. */
    default void frees(int step, Value value) {}

    /** A value begins to be written to a place; it stays in the arena. */
    default void offloads(int step, Value value, Place place) {}

    /** A value begins to be read back from a place; that it enters the arena is told next. */
    default void fetches(int step, Value value, Place place) {}
}
