package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.stream.LongStream;

class RowOrderTest {

    @Test
    void every_epoch_is_a_permutation_of_its_own() {
        for (long rows : new long[] {1, 2, 3, 7, 100, 1000}) {
            var order = new RowOrder(1, rows);
            for (long epoch = 0; epoch < 3; epoch++) {
                long e = epoch;
                var places =
                        LongStream.range(0, rows).map(r -> order.place(r, e)).sorted().toArray();
                assertThat(places).isEqualTo(LongStream.range(e * rows, (e + 1) * rows).toArray());
            }
        }
        var order = new RowOrder(1, 1000);
        assertThat(LongStream.range(0, 1000).filter(r -> order.place(r, 0) == r).count())
                .isLessThan(10);
        assertThat(order.place(17, 0)).isNotEqualTo(order.place(17, 1) - 1000);
    }

    @Test
    void a_table_without_rows_is_refused() {
        assertThatThrownBy(() -> new RowOrder(1, 0)).hasMessageContaining("no rows");
    }
}
