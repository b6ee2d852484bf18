package dev.ebb.exec;

import java.lang.foreign.MemorySegment;

/**
 * The computation of one node on few elements, wherever its operands and results lie: what a tape
 * calls for every op of the same kind, whose values lie elsewhere each time. It cannot fail, needs
 * no memory of its own, and its bits are those of the node's kernel. Any thread may call it.
 */
@FunctionalInterface
public interface Anywhere {

    /**
     * Computes the outputs.
     *
     * @param memory what all of them lie in
     * @param starts where each input, and then each output, begins in {@code memory}, in bytes
     */
    void run(MemorySegment memory, long[] starts);
}
