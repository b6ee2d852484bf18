package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainTest {
    @Test
    void the_usage_says_what_it_is_for() {
        assertThat(Main.commandLine().getUsageMessage())
                .startsWith("Usage: ebb")
                .contains("Gradients in the memory you name.")
                .contains("train", "generate", "plan", "curve", "memory", "explain", "Exit codes");
    }

    @Test
    void every_command_has_help() {
        for (var name : Main.commandLine().getSubcommands().keySet()) {
            var result = Shell.run(name, "--help");
            assertThat(result.code()).as(name).isZero();
            assertThat(result.out()).contains("Usage: ebb " + name);
        }
    }

    @Test
    void shells_can_complete_it() {
        assertThat(Shell.run("completion").out()).contains("complete", "ebb", "--budget");
    }
}
