package dev.ebb.ir;

import java.util.Set;

/**
 * Properties of an op, besides its kernel, that passes and planners must respect; for example, that
 * it may run only once.
 */
public enum Trait {
    /** Changes something outside the graph: runs exactly once, in program order. */
    EFFECT,
    /** Two runs may differ: runs once, and its outputs are kept as long as they are needed. */
    NONDETERMINISTIC,
    /** So expensive that its outputs are kept unless nothing else fits. */
    EXPENSIVE,
    /** Is not fused, so that its operands can be rebuilt by its inverse. */
    ALONE,
    /**
     * Starts asynchronous work on the memory of its outputs, which lasts until an op that reads
     * them waits for it. It runs as early as possible, and those outputs are not moved.
     */
    BESIDE;

    /** Whether an op with these traits may run only once. */
    public static boolean once(Set<Trait> traits) {
        return traits.contains(EFFECT) || traits.contains(NONDETERMINISTIC);
    }
}
