package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;

class MainTest {
    @Test
    void the_usage_says_what_it_is_for() {
        assertThat(new CommandLine(new Main()).getUsageMessage())
                .startsWith("Usage: ebb")
                .contains("Gradients in the memory you name.");
    }
}
