package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.report.Progress;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

final class ProgressTest {
    @TempDir Path folder;

    @Test
    void a_terminal_shows_a_bar_with_loss_pace_time_left_and_memory()
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(Shell.SCRIPT), "a terminal needs script");
        var log = folder.resolve("log.txt");
        var child = Shell.spawnOnTerminal(Shell.tiny(folder, "run", 300), log);
        assertThat(child.waitFor()).as(Files.readString(log)).isZero();
        var shown = Files.readString(log);
        assertThat(shown)
                .containsPattern("train +100% \\[=+\\] 300/300")
                .containsPattern(
                        "loss \\d\\.\\d{3}, [\\d,]+ tokens/s, \\d+ s left, [\\d.]+ .?i?B of")
                .contains("\r")
                .doesNotContain("step 300/300");
    }

    @Test
    void elsewhere_a_line_now_and_then() {
        var text = new StringWriter();
        try (var progress = Progress.of(0, 400, new PrintWriter(text, true))) {
            for (int step = 1; step <= 400; step++) {
                progress.show(new Progress.Figures(step, 2.5, 0.05, 100, "1 MiB of 2 MiB"));
            }
        }
        assertThat(text.toString().lines())
                .hasSize(5)
                .first()
                .isEqualTo(
                        "step 1/400: loss 2.500, 2,000 tokens/s, estimating time left, 1 MiB of 2"
                                + " MiB");
    }

    /** The first steps take a hundred times as long as those after them. */
    @Test
    void slow_first_steps_do_not_count_for_the_time_left() {
        var text = new StringWriter();
        try (var progress = Progress.of(0, 1000, new PrintWriter(text, true))) {
            for (int step = 1; step <= 1000; step++) {
                double seconds = step == 1 ? 14 : step < 6 ? 8.0 / step : 0.12;
                progress.show(new Progress.Figures(step, 2.5, seconds, 100, "1 MiB of 2 MiB"));
            }
        }
        var told = text.toString().lines().filter(line -> line.contains(" left,")).toList();
        assertThat(told.getFirst()).contains("estimating time left");
        assertThat(told).hasSizeGreaterThan(10);
        for (var line : told) {
            if (line.contains("estimating")) continue;
            var left = line.replaceAll(".*tokens/s, (.*) left,.*", "$1");
            assertThat(left).as(line).matches("\\d+ s|[12]:\\d\\d min");
        }
    }

    /** Steps of a large model: all slow, with an estimate after three. */
    @Test
    void steps_that_are_all_alike_are_told_of_after_three() {
        var text = new StringWriter();
        try (var progress = Progress.of(0, 10, new PrintWriter(text, true))) {
            for (int step = 1; step <= 10; step++)
                progress.show(new Progress.Figures(step, 2.5, 60 + step, 100, "1 MiB of 2 MiB"));
        }
        assertThat(text.toString().lines().toList().get(2)).contains("7:14 min left");
    }

    @Test
    void times_are_told_as_people_do() {
        assertThat(Progress.duration(59.4)).isEqualTo("59 s");
        assertThat(Progress.duration(125)).isEqualTo("2:05 min");
        assertThat(Progress.duration(3_725)).isEqualTo("1:02 h");
    }
}
