package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThresholdsTest {
    @Test
    void a_figure_that_misses_its_bar_is_told_with_both() {
        var thresholds = new Thresholds();
        assertThat(thresholds.atLeast("the share", 0.6, 0.6)).isEqualTo("(bar: at least 0.6)");
        assertThat(thresholds.atMost("garbage", 15.9, 16)).isEqualTo("(bar: at most 16)");
        assertThat(thresholds.must(true, "one digest", "there are two"))
                .isEqualTo("(bar: one digest)");
        assertThat(thresholds.missed()).isEmpty();
        assertThat(thresholds.atLeast("the share", 0.5995, 0.6)).endsWith("at least 0.6, missed)");
        assertThat(thresholds.atLeast("the share", Double.NaN, 0.6)).endsWith("missed)");
        assertThat(thresholds.atMost("the error", 100, 15)).endsWith("missed)");
        assertThat(thresholds.must(false, "one digest", "there are two")).endsWith("missed)");
        assertThat(thresholds.missed())
                .containsExactly(
                        "the share is 0.5995; the bar is at least 0.6",
                        "the share is NaN; the bar is at least 0.6",
                        "the error is 100; the bar is at most 15",
                        "there are two; the bar is one digest");
    }
}
