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

    /** A kernel runs. The events after it report what happens to its operands and outputs. */
    default void runs(int step, Step.Work work, Run how) {}

    /** An output of the latest kernel overwrites an input. */
    default void overwrites(int step, Value from, Value into) {}

    /** A value gets memory in the arena: an output of the latest kernel, or a fetched value. */
    default void enters(int step, Value value) {}

    /** The memory of a value is freed. */
    default void frees(int step, Value value) {}

    /** A value begins to be written to a place; it stays in the arena. */
    default void offloads(int step, Value value, Place place) {}

    /** A value begins to be read back from a place; the next event is that it enters the arena. */
    default void fetches(int step, Value value, Place place) {}
}
