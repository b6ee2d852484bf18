package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.Test;

import scala.jdk.javaapi.CollectionConverters;

import java.util.Arrays;
import java.util.List;

/** The values that a row may have in a column, and those that are refused. */
class ColumnTest {

    private static float[] batch(Column column, Object... values) {
        var rows = Arrays.stream(values).map(v -> RowFactory.create(v)).toList();
        return Column.batch(List.of(column), rows).getFirst().toFloats();
    }

    /** An array in Spark's own form. */
    private static Object array(Object... values) {
        return CollectionConverters.asScala(Arrays.asList(values)).toSeq();
    }

    private static void refused(Column column, Object value, String... words) {
        assertThatThrownBy(() -> batch(column, value)).hasMessageContainingAll(words);
    }

    @Test
    void numbers_arrays_and_texts_become_tensors() {
        assertThat(batch(Column.number("x"), 1.5, 2, 3L, true)).containsExactly(1.5f, 2, 3, 1);
        assertThat(batch(Column.numbers("x", 2), array(1.5, 2.0))).containsExactly(1.5f, 2);
        assertThat(batch(Column.integer("x"), 7L, 8, 9.0)).containsExactly(7, 8, 9);
        assertThat(batch(Column.text("x", 3), "ab", "abcd"))
                .containsExactly('a', 'b', 0, 'a', 'b', 'c');
    }

    @Test
    void what_is_something_else_is_named_with_what_should_be() {
        refused(
                Column.integer("x"),
                2.7,
                "column x has the number 2.7",
                "a whole number",
                "filter");
        refused(Column.integer("x"), 1L << 40, "the number 1099511627776");
        refused(Column.number("x"), "ten", "has a value of type String where a number");
        refused(Column.numbers("x", 2), 1.0, "has a value of type Double where 2 numbers");
        refused(Column.numbers("x", 2), array(1.0, null), "has an array with a gap");
        refused(Column.numbers("x", 2), array(1.0), "has an array of 1 where 2 numbers");
        refused(Column.text("x", 2), 5, "has a value of type Integer where a text");
        refused(Column.text("x", 2), null, "has no value in a row where a text");
    }
}
