package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainTest {
    @Test
    void the_usage_says_what_it_is_for() {
        assertThat(Main.commandLine().getUsageMessage())
                .startsWith("Usage: ebb")
                .contains("Gradients and training within a memory budget.")
                .contains("train", "generate", "plan", "curve", "memory", "explain", "Exit codes");
    }

    @Test
    void every_command_has_help_and_the_launcher_prints_the_same() {
        var texts = LauncherFiles.helpTexts();
        assertThat(texts.get("ebb")).isEqualTo(Shell.run("--help").out());
        for (var command : Main.commandLine().getSubcommands().entrySet()) {
            var name = command.getKey();
            assertThat(command.getValue().getCommandName()).isEqualTo(name);
            var result = Shell.run(name, "--help");
            assertThat(result.code()).as(name).isZero();
            assertThat(result.out()).contains("Usage: ebb " + name).isEqualTo(texts.get(name));
        }
    }

    @Test
    void help_is_a_command_too() {
        assertThat(Shell.run("help").out()).isEqualTo(Shell.run("--help").out());
        assertThat(Shell.run("help", "plan").out()).isEqualTo(Shell.run("plan", "--help").out());
        var wrong = Shell.run("help", "tarin");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.err()).contains("tarin");
    }

    @Test
    void every_command_takes_the_options_of_all() {
        var result = Shell.run("devices", "--stack-trace");
        assertThat(result.code()).as(result.err()).isZero();
    }

    @Test
    void shells_can_complete_it() {
        assertThat(Shell.run("completion").out()).contains("complete", "ebb", "--budget");
    }
}
