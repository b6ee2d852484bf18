package dev.ebb.ir;

import dev.ebb.ir.Kernel.Combine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The parts of a {@link Kernel.Rows}, which processes its operands row by row: the numbers that it
 * computes for each row, such as a maximum or a sum, and its results.
 */
public final class RowParts {
    private RowParts() {}

    /** The computation of one number for each row. */
    public sealed interface RowValue {
        Scalar body();
    }

    /**
     * {@code body} of every element of the row, combined in the order of a {@link Kernel.Fold} of
     * that row.
     */
    public record Fold(Combine combine, Scalar body) implements RowValue {}

    /**
     * {@code body} of arguments that are constant along the row: earlier numbers, and operands that
     * are broadcast.
     */
    public record Apply(Scalar body) implements RowValue {}

    /** An output that is computed from the rows and their numbers. */
    public sealed interface Result {}

    /** {@code body} of every element. */
    public record Elements(Scalar body) implements Result {}

    /** Number {@code index} of every row. */
    public record RowNumber(int index) implements Result {}

    /**
     * {@code body} of every element, combined over all rows in an order that depends on the shape
     * alone.
     */
    public record Columns(Combine combine, Scalar body) implements Result {}

    /** A kernel with one output, and the number of this output in the kernel with several. */
    public record OneResult(int output, Kernel kernel) {}

    /**
     * A kernel for each result of {@code rows}, with all operands and numbers. A result with
     * elements comes last, because it may overwrite an operand that the other results read.
     */
    public static List<OneResult> split(Kernel.Rows rows) {
        var parts = new ArrayList<OneResult>();
        var last = new ArrayList<OneResult>();
        for (int i = 0; i < rows.results().size(); i++) {
            var result = rows.results().get(i);
            (result instanceof Elements ? last : parts).add(new OneResult(i, alone(rows, result)));
        }
        parts.addAll(last);
        return parts;
    }

    private static Kernel alone(Kernel.Rows k, Result result) {
        if (!k.numbers().isEmpty())
            return new Kernel.Rows(k.shape(), k.leading(), k.operands(), k.numbers(), result);
        return switch (result) {
            case Elements(var body) -> Kernel.Map.of(k.shape(), k.operands(), body);
            case Columns(var combine, var body) ->
                    new Kernel.Fold(
                            k.shape(),
                            IntStream.range(0, k.leading()).boxed().toList(),
                            combine,
                            k.operands(),
                            body);
            case RowNumber(int index) ->
                    throw new IllegalStateException("no number " + index + " in " + k);
        };
    }

    static Result only(List<Result> results) {
        if (results.size() != 1)
            throw new IllegalStateException(results.size() + " results of rows, not one");
        return results.getFirst();
    }

    /**
     * The number of elements of a row of {@code shape}, whose rows run along the axes from {@code
     * leading} on.
     */
    static long width(Shape shape, int leading) {
        return new Shape(shape.dims().subList(leading, shape.rank())).size();
    }

    static void check(Shape shape, int leading, List<RowValue> numbers, List<Result> results) {
        if (leading < 0 || leading > shape.rank())
            throw new IllegalArgumentException(
                    "rows of %s from axis %d on; there is no such axis".formatted(shape, leading));
        if (results.isEmpty() || (results.size() == 1 && numbers.isEmpty()))
            throw new IllegalArgumentException(
                    "rows of %s with %d numbers and %d results; a result is needed, and a number or"
                                    .formatted(shape, numbers.size(), results.size())
                            + " a second result");
        int elements = 0;
        for (var result : results) {
            switch (result) {
                case Elements _ -> elements++;
                case RowNumber(int index) -> {
                    if (index < 0 || index >= numbers.size())
                        throw new IllegalArgumentException(
                                "number %d of rows with %d".formatted(index, numbers.size()));
                }
                case Columns _ -> {
                    if (width(shape, leading) == 1)
                        throw new IllegalArgumentException(
                                "columns of rows of one element in "
                                        + shape
                                        + "; fold their numbers");
                }
            }
        }
        if (elements > 1)
            throw new IllegalArgumentException(
                    "%d results with elements of rows of %s; at most one can be"
                            .formatted(elements, shape));
    }
}
