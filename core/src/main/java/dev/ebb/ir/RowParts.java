package dev.ebb.ir;

import dev.ebb.ir.Kernel.Combine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The parts of a kernel that walks its operands row by row. */
public final class RowParts {
    private RowParts() {}

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

    /** Number {@code index} of every row. */
    public record RowNumber(int index) implements Result {}

    /** {@code body} of every element, combined over all rows: in the order of such a fold. */
    public record Columns(Combine combine, Scalar body) implements Result {}

    /** A kernel with one output, and which of the outputs of a kernel of rows that is. */
    public record OneResult(int output, Kernel kernel) {}

    /**
     * Every result of {@code rows} by a kernel of its own, with all operands and numbers. Elements
     * come last: they may be written over an operand, which the other results read too.
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

    /** The elements of a row of {@code shape} from axis {@code leading} on. */
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
