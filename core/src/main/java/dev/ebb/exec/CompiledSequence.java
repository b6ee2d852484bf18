package dev.ebb.exec;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/** All computations of a {@link Sequence}, run together. */
@FunctionalInterface
public interface CompiledSequence extends Runnable {
    /** The numbers of the results that {@link #run(List)} writes to where it is told. */
    default Set<Integer> delivered() {
        return Set.of();
    }

    /**
     * As {@link #run()}, with the {@link #delivered} results written to the segments of their
     * numbers, and not to where they are to lie.
     */
    default void run(List<MemorySegment> to) {
        run();
    }
}
