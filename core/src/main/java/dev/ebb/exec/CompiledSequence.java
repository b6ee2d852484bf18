package dev.ebb.exec;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/** A {@link Sequence} compiled to one method. */
@FunctionalInterface
public interface CompiledSequence extends Runnable {
    /** The numbers of the results that {@link #run(List)} writes directly to the given segments. */
    default Set<Integer> delivered() {
        return Set.of();
    }

    /**
     * As {@link #run()}, with the {@link #delivered} results written to the segments with their
     * numbers instead of the program's memory.
     */
    default void run(List<MemorySegment> to) {
        run();
    }
}
