package dev.ebb.cpu.straight;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import java.util.List;

/** A stretch of the registers of a {@link Region} that holds a value, or what is read of it. */
record Slot(Value value, Form form) {

    /** What of the value is held. */
    sealed interface Form {
        /** All of it, in order. */
        record Whole() implements Form {}

        /** The rows of the rounds at hand, {@code [outer, rounds, inner]}. */
        record Rows(long outer, long inner) implements Form {}

        /** One number for each round, by a view along the axes of the loop. */
        record Column(Shape loop, View view) implements Form {}
    }

    /** How far a number lies from where it lies in round zero. */
    sealed interface Move {
        Move NONE = new Step(0);

        /** So many elements for each of the rounds at hand. */
        record Step(long by) implements Move {}

        /**
         * By the place of the round in the whole loop, along axes that not all move it: such as the
         * centres that every point is compared with, in a loop over points and centres.
         */
        record Walk(Shape loop, List<Long> strides) implements Move {}
    }

    /**
     * How a round finds one number in a slot: element {@code first} of stretch {@code outer} of the
     * slot, and from there as far as {@code move} says.
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

    /** So many elements it takes whatever the rounds. */
    long fixed() {
        return form instanceof Form.Whole ? value.type().size() : 0;
    }

    /** So many it takes for each round. */
    long perRound() {
        return switch (form) {
            case Form.Whole _ -> 0;
            case Form.Rows(long outer, long inner) -> outer * inner;
            case Form.Column _ -> 1;
        };
    }
}
