package dev.ebb.exec;

import java.lang.foreign.MemorySegment;

/**
 * The computation of one node on few elements with the addresses of operands and results as
 * arguments. A tape calls it for every op of the same kind, whose values are in different memory
 * each time. It cannot fail, needs no workspace, and gives the bits of the node's kernel.
 * Thread-safe.
 */
@FunctionalInterface
public interface RelocatableKernel {

    /**
     * Computes the outputs.
     *
     * @param memory the memory that contains all operands and results
     * @param starts the offset in {@code memory} of each input, and then of each output, in bytes
     */
    void run(MemorySegment memory, long[] starts);
}
