package dev.ebb.cpu.sequence;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.List;

/**
 * A range of the registers of a {@link MergedLoop} that holds a value, or the part of it that is
 * read.
 */
record RegisterSlot(Value value, Form form) {

    /** Which part of the value is held. */
    sealed interface Form {
        /** All of it, in order. */
        record Whole() implements Form {}

        /** The rows of the current block of iterations, {@code [outer, iterations, inner]}. */
        record Rows(long outer, long inner) implements Form {}

        /** One number for each iteration, read through a view along the axes of the loop. */
        record Column(Shape loop, View view) implements Form {}
    }

    /** The offset of an element relative to iteration zero. */
    sealed interface Move {
        Move NONE = new Step(0);

        /** A fixed number of elements for each iteration of the block. */
        record Step(long by) implements Move {}

        /**
         * An offset given by the position of the iteration in the whole loop, along axes of which
         * some are broadcast; for example the centres with which every point is compared, in a loop
         * over points and centres.
         */
        record Walk(Shape loop, List<Long> strides) implements Move {}
    }

    /**
     * How iteration code addresses one element of a slot: element {@code first} of range {@code
     * outer}, plus the offset given by {@code move}.
     */
    record Access(RegisterSlot slot, long outer, long first, Move move) {
        int at(int iterations) {
            return Math.toIntExact(
                    switch (move) {
                        case Move.Step(long by) -> outer * iterations * by + first;
                        case Move.Walk _ -> first;
                    });
        }
    }

    static RegisterSlot whole(Value value) {
        return new RegisterSlot(value, new Form.Whole());
    }

    /** The number of its elements that does not depend on the number of iterations. */
    long fixed() {
        return form instanceof Form.Whole ? value.type().size() : 0;
    }

    /** The number of its elements per iteration. */
    long perRound() {
        return switch (form) {
            case Form.Whole _ -> 0;
            case Form.Rows(long outer, long inner) -> outer * inner;
            case Form.Column _ -> 1;
        };
    }
}
