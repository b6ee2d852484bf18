package dev.ebb.plan.schedule;

import dev.ebb.ir.Value;

/** How many bytes of the arena each value occupies. */
@FunctionalInterface
public interface Sizes {

    /** Sizes in whole cache lines, as on every device. */
    Sizes CACHE_LINES = aligned(Schedule.ALIGNMENT);

    long of(Value value);

    /** The bytes of the value's type, rounded up to a multiple of {@code alignment}. */
    static Sizes aligned(long alignment) {
        if (alignment <= 0)
            throw new IllegalArgumentException("an alignment is positive, not " + alignment);
        return value -> Math.ceilDiv(value.type().bytes(), alignment) * alignment;
    }
}
