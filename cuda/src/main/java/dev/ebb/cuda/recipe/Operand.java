package dev.ebb.cuda.recipe;

/** What a launch is handed: a place in device memory, or a number. */
public sealed interface Operand {
    record In(int index) implements Operand {}

    record Out(int index) implements Operand {}

    /** A part of the node's workspace, from a byte on. */
    record Work(long offset) implements Operand {}

    /** Two i64: the first node with an index out of bounds, plus one, and that index. */
    record Fault() implements Operand {}

    /** The number of the node, an i64: what a fault names. */
    record Node() implements Operand {}
}
