package dev.ebb.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;

class CardSectionTest {
    private static final String EMPTY =
            "before\n" + CardSection.BEGIN + "\n" + CardSection.END + "\nafter\n";

    private static CardSection.Row row(String name, String ms) {
        return new CardSection.Row(name, List.of(ms, "1.00", "as promised", "", "", "2026-01-01"));
    }

    @Test
    void rows_of_the_same_name_are_replaced_and_others_stay() {
        var once = CardSection.in(EMPTY, "card 0", List.of(row("GPT", "9"), row("U-Net", "5")));
        var twice = CardSection.in(once, "card 1", List.of(row("GPT", "8"), row("start", "3")));
        assertThat(twice.lines().filter(l -> l.startsWith("| ") && !l.startsWith("| |")))
                .containsExactly(
                        row("GPT", "8").text(), row("U-Net", "5").text(), row("start", "3").text());
        assertThat(twice).startsWith("before\n").endsWith("\nafter\n").contains("On card 1:");
        assertThat(twice).doesNotContain("card 0");
    }

    @Test
    void what_was_written_is_the_same_when_written_again() {
        var rows = List.of(row("GPT", "9"));
        var once = CardSection.in(EMPTY, "card 0", rows);
        assertThat(CardSection.in(once, "card 0", rows)).isEqualTo(once);
    }

    @Test
    void a_text_without_a_place_for_the_table_is_refused() {
        assertThatThrownBy(() -> CardSection.in("nothing", "card 0", List.of()))
                .hasMessageContaining("put these lines back");
    }
}
