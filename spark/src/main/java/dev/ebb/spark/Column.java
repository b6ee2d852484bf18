package dev.ebb.spark;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A column of a table that becomes a tensor of a batch, whose first axis counts rows.
 *
 * @param length the numbers per row; zero for a column that is not an array
 */
public record Column(String name, Kind kind, int length) implements Serializable {

    /** The type of a column's values. */
    enum Kind {
        /** Numbers of any type, as f32. */
        FLOATS,
        /** Whole numbers, as i32. */
        INTEGERS,
        /** Text, as its UTF-8 bytes in i32; padded with zeros, or truncated. */
        TEXT
    }

    public Column {
        if (length < 0 || kind == Kind.TEXT && length == 0)
            throw new IllegalArgumentException(name + " has a length of " + length);
    }

    /** One number per row, as f32. */
    public static Column number(String name) {
        return new Column(name, Kind.FLOATS, 0);
    }

    /** An array of {@code length} numbers per row, as f32. */
    public static Column numbers(String name, int length) {
        return new Column(name, Kind.FLOATS, length);
    }

    /** One whole number per row, as i32: a class, an index. */
    public static Column integer(String name) {
        return new Column(name, Kind.INTEGERS, 0);
    }

    /** An array of {@code length} whole numbers per row, as i32: tokens. */
    public static Column integers(String name, int length) {
        return new Column(name, Kind.INTEGERS, length);
    }

    /** The first {@code length} bytes of a text, as i32. */
    public static Column text(String name, int length) {
        return new Column(name, Kind.TEXT, length);
    }

    /** The type of the tensor for this many rows. */
    Type type(int rows) {
        var dtype = kind == Kind.FLOATS ? DType.F32 : DType.I32;
        return new Type(dtype, length == 0 ? Shape.of(rows) : Shape.of(rows, length));
    }

    /** The tensors of some rows, whose fields are in the order of the columns. */
    static List<Tensor> batch(List<Column> columns, List<Row> rows) {
        var tensors = new ArrayList<Tensor>();
        for (int i = 0; i < columns.size(); i++) {
            int field = i;
            var column = columns.get(i);
            tensors.add(
                    Array.make(
                            column.type(rows.size()),
                            to -> {
                                long at = 0;
                                for (var row : rows) {
                                    for (double x : column.values(row, field)) to.set(at++, x);
                                }
                            }));
        }
        return tensors;
    }

    private double[] values(Row row, int field) {
        if (row.isNullAt(field)) throw refusal("no value in a row");
        if (length == 0) return new double[] {number(row.get(field))};
        var values = new double[length];
        if (kind == Kind.TEXT) {
            if (!(row.get(field) instanceof String text)) throw other(row.get(field));
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            for (int i = 0; i < Math.min(length, bytes.length); i++) values[i] = bytes[i] & 0xff;
            return values;
        }
        if (!(row.get(field) instanceof scala.collection.Seq<?>)) throw other(row.get(field));
        var list = row.getList(field);
        if (list.size() != length) throw refusal("an array of " + list.size());
        for (int i = 0; i < length; i++) values[i] = number(list.get(i));
        return values;
    }

    private double number(@Nullable Object value) {
        return switch (value) {
            case null -> throw refusal("an array with a gap");
            case Boolean b -> b ? 1 : 0;
            case Number n when kind == Kind.FLOATS || isInteger(n) -> n.doubleValue();
            case Number n -> throw refusal("the number " + n);
            default -> throw other(value);
        };
    }

    private static boolean isInteger(Number n) {
        double x = n.doubleValue();
        return x == (int) x;
    }

    private IllegalArgumentException other(Object value) {
        return refusal("a value of type " + value.getClass().getSimpleName());
    }

    private IllegalArgumentException refusal(String found) {
        return new IllegalArgumentException(
                "the column %s has %s where %s should be; fill or filter such rows first"
                        .formatted(name, found, expected()));
    }

    private String expected() {
        return switch (kind) {
            case FLOATS -> length == 0 ? "a number" : length + " numbers";
            case INTEGERS -> length == 0 ? "a whole number" : length + " whole numbers";
            case TEXT -> "a text";
        };
    }
}
