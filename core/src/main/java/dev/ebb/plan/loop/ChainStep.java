package dev.ebb.plan.loop;

/**
 * One step of running a chain of stages forwards and backwards; stage {@code k} turns state {@code
 * k} into state {@code k + 1}.
 */
public sealed interface ChainStep {

    /** State {@code stage}, just reached, is kept until the stage's backward step is done. */
    record Save(int stage) implements ChainStep {}

    /**
     * Runs a stage and keeps nothing but the state it reaches, and that only until the next step.
     */
    record Forward(int stage) implements ChainStep {}

    /**
     * Runs a stage and keeps its tape: the values that its backward step needs, and the state it
     * reaches.
     */
    record Tape(int stage) implements ChainStep {}

    /** Runs a stage's backward step, which frees its tape and the state it started from. */
    record Backward(int stage) implements ChainStep {}
}
