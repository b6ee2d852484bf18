package dev.ebb.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The command, on {@code local[2]}. */
class TrainMainTest {
    @TempDir Path folder;

    private String train(Path text, int executors, String out) {
        var told = new ByteArrayOutputStream();
        var before = System.out;
        System.setOut(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            TrainMain.main(
                    new String[] {
                        "--spark", "local[2]",
                        "--executors", executors + "",
                        "--shards", "2",
                        "--model", "1x8x2",
                        "--batch", "2",
                        "--steps", "2",
                        "--budget", "100%",
                        "--text", text.toString(),
                        "--out", folder.resolve(out).toString()
                    });
        } finally {
            System.setOut(before);
        }
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void a_run_is_told_and_a_finished_one_is_not_made_again() throws IOException {
        var text = folder.resolve("text.txt");
        Files.writeString(text, "a tide goes out, a tide comes in. ".repeat(30));
        var two = train(text, 2, "two");
        assertThat(two).contains("2 steps, loss", "rank 0: promised ", "rank 1: promised ");
        assertThat(folder.resolve("two/report.html"))
                .content()
                .contains("Memory of rank 0 in a step", "Memory of rank 1 in a step", "<svg");
        assertThat(train(text, 1, "two")).contains(weights(two), "rank 0: promised 0 bytes");
    }

    @Test
    void what_a_rank_says_is_told_without_its_stack() {
        var spark =
                """
                Job aborted due to stage failure: barrier task ResultTask(2, 0) failed.
                java.io.UncheckedIOException: java.io.IOException: step 5 cannot be written
                \tat dev.ebb.spark.RankTask.call(RankTask.java:60)
                Caused by: java.io.IOException: No space left on device
                \tat dev.ebb.spark.Checkpoints.write(Checkpoints.java:90)
                \t... 3 more

                Driver stacktrace:\
                """;
        assertThat(RefusedException.words(spark)).isEqualTo("step 5 cannot be written");
        assertThat(RefusedException.words("name a text")).isEqualTo("name a text");
    }

    private static String weights(String told) {
        return told.lines().filter(l -> l.startsWith("weights ")).findFirst().orElseThrow();
    }
}
