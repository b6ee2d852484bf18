package dev.ebb.cpu.sequence;

/** Finds the elements of a computation's inputs. */
interface InputElements {
    /** Element {@code i}, in row-major order, of input {@code input}. */
    Operand element(int input, long i);
}
