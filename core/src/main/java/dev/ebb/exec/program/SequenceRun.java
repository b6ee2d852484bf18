package dev.ebb.exec.program;

import dev.ebb.exec.CompiledSequence;
import dev.ebb.exec.Report;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A program as one method.
 *
 * @param counted the report of a run step by step; the memory is the same in every run
 */
record SequenceRun(CompiledSequence method, Report counted) {

    Report run() {
        long start = System.nanoTime();
        method.run();
        return counted.taking((System.nanoTime() - start) / 1e9);
    }

    /**
     * Runs the method with the results that it delivers written to the segments with their numbers.
     */
    Report run(List<MemorySegment> to) {
        long start = System.nanoTime();
        method.run(to);
        return counted.taking((System.nanoTime() - start) / 1e9);
    }
}
