package dev.ebb.cpu.straight;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.List;

/**
 * A range of the registers of a {@link Region} that holds a value, or the part of it that is read.
 */
record Slot(Value value, Form form) {

    /** Which part of the value is held. */
    sealed interface Form {
        /** All of it, in order. */
        record Whole() implements Form {}

        /** The rows of the rounds at hand, {@code [outer, rounds, inner]}. */
        record Rows(long outer, long inner) implements Form {}

        /** One number for each round, by a view along the axes of the loop. */
        record Column(Shape loop, View view) implements Form {}
    }

    /** The offset of an element relative to round zero. */
    sealed interface Move {
        Move NONE = new Step(0);

        /** A fixed number of elements for each round of the block. */
        record Step(long by) implements Move {}

        /**
         * By the position of the round in the whole loop, along axes of which some are broadcast:
         * such as the centres that every point is compared with, in a loop over points and centres.
         */
        record Walk(Shape loop, List<Long> strides) implements Move {}
    }

    /**
     * How a round addresses one element of a slot: element {@code first} of range {@code outer},
     * plus the offset given by {@code move}.
     */
    record Access(Slot slot, long outer, long first, Move move) {
        int at(int rounds) {
            return Math.toIntExact(
                    switch (move) {
                        case Move.Step(long by) -> outer * rounds * by + first;
                        case Move.Walk _ -> first;
                    });
        }
    }

    static Slot whole(Value value) {
        return new Slot(value, new Form.Whole());
    }

    /** The elements it takes independently of the number of rounds. */
    long fixed() {
        return form instanceof Form.Whole ? value.type().size() : 0;
    }

    /** The elements it takes per round. */
    long perRound() {
        return switch (form) {
            case Form.Whole _ -> 0;
            case Form.Rows(long outer, long inner) -> outer * inner;
            case Form.Column _ -> 1;
        };
    }
}
