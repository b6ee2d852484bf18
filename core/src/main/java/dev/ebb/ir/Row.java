package dev.ebb.ir;

import dev.ebb.ir.Kernel.Combine;

/** The parts of a kernel that walks its operands row by row. */
public final class Row {
    private Row() {}

    /** One number for each row. */
    public sealed interface RowValue {
        Scalar body();
    }

    /** {@code body} of every element of the row, combined: in the order of a fold of that row. */
    public record Fold(Combine combine, Scalar body) implements RowValue {}

    /** {@code body} of what is the same all along the row: numbers before it, repeated operands. */
    public record Apply(Scalar body) implements RowValue {}

    /** What becomes of rows and their numbers. */
    public sealed interface Result {}

    /** {@code body} of every element. */
    public record Elements(Scalar body) implements Result {}

    /** The last number of every row. */
    public record Last() implements Result {}

    /** {@code body} of every element, combined over all rows: in the order of such a fold. */
    public record Columns(Combine combine, Scalar body) implements Result {}
}
