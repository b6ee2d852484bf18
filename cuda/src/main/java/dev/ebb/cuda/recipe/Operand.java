package dev.ebb.cuda.recipe;

/** An argument of a launch: an address in device memory, or a number. */
public sealed interface Operand {
    record In(int index) implements Operand {}

    record Out(int index) implements Operand {}

    /** The node's workspace from byte {@code offset} on. */
    record Work(long offset) implements Operand {}

    /**
     * The address of two i64: the number plus one of the first node with an index out of bounds,
     * and that index.
     */
    record Fault() implements Operand {}

    /** The number, an i64, that identifies the node in the record of a fault. */
    record Node() implements Operand {}
}
