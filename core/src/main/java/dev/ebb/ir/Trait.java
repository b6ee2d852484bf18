package dev.ebb.ir;

import java.util.Set;

/**
 * Properties of an op, beside its kernel, that passes and planners must respect: that it may run
 * only once, for instance.
 */
public enum Trait {
    /** Changes something outside the graph: runs exactly once, in program order. */
    EFFECT,
    /** Two runs may differ: runs once, and its outputs are kept as long as they are needed. */
    NONDETERMINISTIC,
    /** So dear that its outputs are kept unless nothing else fits. */
    EXPENSIVE,
    /**
     * Stays a kernel of its own, so that what it reads and writes can be rebuilt by its inverse.
     */
    ALONE,
    /**
     * Begins something that goes on beside the computation, in the memory of its outputs, until an
     * op that reads them waits for it. It runs as early as it can, and those outputs stay where
     * they are.
     */
    BESIDE;

    /** Whether what has these traits may run only once. */
    public static boolean once(Set<Trait> traits) {
        return traits.contains(EFFECT) || traits.contains(NONDETERMINISTIC);
    }
}
