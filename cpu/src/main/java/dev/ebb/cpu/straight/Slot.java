package dev.ebb.cpu.straight;

import dev.ebb.ir.Shape;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

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

    /**
     * How a round finds one number in a slot: in round {@code i} of {@code rounds}, element {@code
     * outer * rounds * step + first + i * step}.
     */
    record Access(Slot slot, long outer, long first, long step) {
        int at(int rounds) {
            return Math.toIntExact(outer * rounds * step + first);
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
