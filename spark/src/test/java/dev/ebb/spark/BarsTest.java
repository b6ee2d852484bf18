package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BarsTest {
    @Test
    void a_figure_that_misses_its_bar_is_told_with_both() {
        var bars = new Bars();
        assertThat(bars.atLeast("the share", 0.6, 0.6)).isEqualTo("(bar: at least 0.6)");
        assertThat(bars.atMost("garbage", 15.9, 16)).isEqualTo("(bar: at most 16)");
        assertThat(bars.must(true, "one digest", "there are two")).isEqualTo("(bar: one digest)");
        assertThat(bars.missed()).isEmpty();
        assertThat(bars.atLeast("the share", 0.5995, 0.6)).endsWith("at least 0.6, missed)");
        assertThat(bars.atLeast("the share", Double.NaN, 0.6)).endsWith("missed)");
        assertThat(bars.atMost("the error", 100, 15)).endsWith("missed)");
        assertThat(bars.must(false, "one digest", "there are two")).endsWith("missed)");
        assertThat(bars.missed())
                .containsExactly(
                        "the share is 0.5995; the bar is at least 0.6",
                        "the share is NaN; the bar is at least 0.6",
                        "the error is 100; the bar is at most 15",
                        "there are two; the bar is one digest");
    }
}
