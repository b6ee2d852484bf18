package dev.ebb.nn.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.stream.IntStream;

class TreeSumTest {

    private static String text(int count) {
        return TreeSum.of(count, String::valueOf, (a, b) -> "(" + a + "+" + b + ")");
    }

    @Test
    void the_order_is_that_of_a_tree_whose_left_half_is_a_power_of_two() {
        assertThat(text(1)).isEqualTo("0");
        assertThat(text(4)).isEqualTo("((0+1)+(2+3))");
        assertThat(text(5)).isEqualTo("(((0+1)+(2+3))+4)");
        assertThat(text(8)).isEqualTo("(((0+1)+(2+3))+((4+5)+(6+7)))");
    }

    /** Sums of 16 leaves added by groups of 1, 2, 4, 8 and 16, then over groups: the same bits. */
    @Test
    void every_grouping_gives_the_same_bits() {
        var leaf = new java.util.Random(3);
        var values = IntStream.range(0, 16).mapToObj(_ -> leaf.nextFloat() - 0.5f).toList();
        float whole = TreeSum.of(16, values::get, Float::sum);
        for (int size = 1; size <= 16; size *= 2) {
            int each = size;
            var groups = new ArrayList<Float>();
            for (int g = 0; g < 16 / size; g++) {
                int first = g * each;
                groups.add(TreeSum.of(each, i -> values.get(first + i), Float::sum));
            }
            assertThat(TreeSum.of(groups.size(), groups::get, Float::sum)).isEqualTo(whole);
        }
    }

    @Test
    void leaves_are_asked_for_in_order() {
        var asked = new ArrayList<Integer>();
        TreeSum.of(
                7,
                i -> {
                    asked.add(i);
                    return i;
                },
                Integer::sum);
        assertThat(asked).containsExactly(0, 1, 2, 3, 4, 5, 6);
    }
}
